// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"math/big"
	"strconv"
	"strings"
)

// maxDecimalDigits is how many significant digits Format writes before it
// prefers a fraction. The exact value of a float64 near 0.1 has 55.
const maxDecimalDigits = 64

// Format returns a text that means exactly r: a decimal if r has one of
// reasonable length, in scientific notation when it is below 1e-4 or from 1e21
// on, else a fraction, with powers of ten split off where that is shorter.
//
//	1/10 → 0.1    10^-5 → 1e-5    1/3 → 1/3    1/(3·10^50) → 1/3e50
//
// Parse reads the text back to r, for every r that Parse can return
// and for all others whose text keeps its limits. Of nil it is "nothing".
func Format(r *big.Rat) string {
	if r == nil {
		return "nothing"
	}
	if r.Sign() == 0 {
		return "0"
	}
	sign := ""
	if r.Sign() < 0 {
		sign = "-"
	}
	f := factorTens(r)
	if s, ok := f.decimal(); ok {
		return sign + s
	}
	s := f.fraction()
	// The plain fraction, unless it is certainly longer than MaxLen: a digit
	// is more than 3 bits.
	num, den := new(big.Int).Abs(r.Num()), r.Denom()
	if num.BitLen()+den.BitLen() <= 4*MaxLen {
		plain := num.String()
		if !r.IsInt() {
			plain += "/" + den.String()
		}
		if len(plain) <= len(s) {
			s = plain
		}
	}
	return sign + s
}

// factored is the positive number num/den · 10^exp, where num and den have no
// common factor and neither is divisible by 5. That form has the fewest digits:
// with 10^exp = 2^exp·5^exp every factor 5 is absorbed by the exponent, and what
// it leaves behind is the same number of factors 2, which are shorter.
type factored struct {
	num, den *big.Int
	exp      int
}

func factorTens(r *big.Rat) factored {
	num, up := splitFives(new(big.Int).Abs(r.Num()))
	den, down := splitFives(r.Denom())
	// |r| = num/den · 5^exp = num/(den·2^exp) · 10^exp.
	exp := up - down
	twos := int(num.TrailingZeroBits()) - int(den.TrailingZeroBits()) - exp
	num.Rsh(num, num.TrailingZeroBits())
	den.Rsh(den, den.TrailingZeroBits())
	if twos >= 0 {
		num.Lsh(num, uint(twos))
	} else {
		den.Lsh(den, uint(-twos))
	}
	return factored{num, den, exp}
}

// decimal writes f as a decimal, if it is finite and has few digits.
func (f factored) decimal() (string, bool) {
	// A decimal is finite if the denominator is a power of two, 2^k. Then
	// f = num·5^k · 10^(exp−k), and the product has more than 0.69k digits.
	k := int(f.den.TrailingZeroBits())
	if f.den.BitLen() != k+1 || k > 2*maxDecimalDigits || f.num.BitLen() > 4*maxDecimalDigits {
		return "", false
	}
	digits := new(big.Int).Mul(f.num, pow(5, k)).String()
	exp := f.exp - k + len(digits) - 1 // of the first digit
	// The digits do not end in 0: for k > 0 the product is odd, and for k = 0 it
	// is num, which 5 does not divide.
	switch {
	case len(digits) > maxDecimalDigits || abs(exp) > MaxExponent:
		return "", false
	case exp < -4 || exp >= 21:
		s := digits[:1]
		if len(digits) > 1 {
			s += "." + digits[1:]
		}
		return s + "e" + strconv.Itoa(exp), true
	case exp < 0:
		return "0." + strings.Repeat("0", -exp-1) + digits, true
	case exp >= len(digits)-1:
		return digits + strings.Repeat("0", exp-len(digits)+1), true
	default:
		return digits[:exp+1] + "." + digits[exp+1:], true
	}
}

// fraction writes f as num e exp / den, with the exponent distributed over both
// so that neither exceeds MaxExponent.
func (f factored) fraction() string {
	up, down := min(max(f.exp, 0), MaxExponent), min(max(-f.exp, 0), MaxExponent)
	num, den := f.num, f.den
	switch rest := f.exp - up + down; {
	// What is left goes to the other side with the opposite sign, and if even
	// that is not enough it is written out.
	case rest > 0:
		down = -min(rest, MaxExponent)
		num = new(big.Int).Mul(num, pow(10, rest+down))
	case rest < 0:
		up = -min(-rest, MaxExponent)
		den = new(big.Int).Mul(den, pow(10, -rest+up))
	case den.IsInt64() && den.Int64() == 1:
		// 1e-70000 is shorter than 1/1e70000.
		up, down = up-down, 0
	}
	s := num.String() + exponent(up)
	if down != 0 || !den.IsInt64() || den.Int64() != 1 {
		s += "/" + den.String() + exponent(down)
	}
	return s
}

func exponent(e int) string {
	if e == 0 {
		return ""
	}
	return "e" + strconv.Itoa(e)
}

// splitFives returns y and k with x = y·5^k and y not divisible by 5, for x > 0.
// It divides by 5, 5², 5⁴, … while it can and then by the same powers downwards:
// when 5^(2^i) does not divide, fewer than 2^i factors are left, and these are
// the binary digits of their number.
func splitFives(x *big.Int) (y *big.Int, k int) {
	y = new(big.Int).Set(x)
	quo, rem := new(big.Int), new(big.Int)
	divide := func(p *big.Int, i int) bool {
		if quo.QuoRem(y, p, rem); rem.Sign() != 0 {
			return false
		}
		y.Set(quo)
		k += 1 << i
		return true
	}
	powers := []*big.Int{big.NewInt(5)}
	for divide(powers[len(powers)-1], len(powers)-1) {
		p := powers[len(powers)-1]
		powers = append(powers, new(big.Int).Mul(p, p))
	}
	for i := len(powers) - 2; i >= 0; i-- {
		divide(powers[i], i)
	}
	return y, k
}

// PowerOfTen returns 10^n.
func PowerOfTen(n int) *big.Rat {
	p := pow(10, max(n, -n))
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// pow returns base^exp for exp ≥ 0.
func pow(base int64, exp int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exp)), nil)
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

const (
	// MaxLen is the number of characters that a number may have.
	MaxLen = 10_000
	// MaxExponent bounds the absolute value of a decimal exponent.
	MaxExponent = 100_000
)
