// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"strconv"
	"strings"
)

// Decimal returns decimal strings lo ≤ x ≤ hi: the endpoints rounded outward in
// the last printed digit. Each has as many significant digits as the width of x
// deserves (the width reaches into the last two), at most max and at least one.
// A number that fits exactly is printed as such, so a point 0 is "0" and a point
// 1 is "1"; infinite endpoints are "-inf" and "inf".
//
// big.Float.Text ignores rounding modes and takes time in proportion to the
// exponent; here the digits come from an integer division, or from an enclosure
// of x·10^k where the exponent is large.
func (x Interval) Decimal(max int) (lo, hi string) {
	n := x.digits(max)
	return decimal(x.l(), n, down), decimal(x.h(), n, up)
}

// digits returns how many significant digits the width of x deserves.
func (x Interval) digits(limit int) int {
	limit = max(limit, 1)
	if !x.IsFinite() || x.IsPoint() {
		return limit
	}
	const p = Prec(32)
	width := p.add(up, x.h(), new(big.Float).Neg(x.l()))
	size := x.Abs().h()
	// size/width ≥ 2^(bits−1)
	bits := size.MantExp(nil) - width.MantExp(nil)
	if bits <= 0 {
		return min(limit, 2)
	}
	return min(limit, bits*30103/100000+3)
}

// decimal returns f rounded to n significant digits, up or down.
//
// The digits come from one integer D next to a·10^(n−e), where 10^e ≤ a < 10^(e+2):
// at least 10^n − 1, so it has n digits or more (even where an enclosure of 10^n
// falls short of it), and less than 10^(n+2) + 1. The last ones are then cut off, at
// most three: ⌊⌊x⌋/10⌋ = ⌊x/10⌋ and ⌈⌈x⌉/10⌉ = ⌈x/10⌉.
func decimal(f *big.Float, n int, to direction) string {
	if f.IsInf() {
		if f.Sign() < 0 {
			return "-inf"
		}
		return "inf"
	}
	if f.Sign() == 0 {
		return "0"
	}
	negative := f.Sign() < 0
	a := new(big.Float).Abs(f)
	away := f.Sign() == int(to) // round the magnitude up?
	// 97879/325147 < log10 2 < 76573/254370, and for |b| ≤ 2^29 + 1 the product with b
	// is off by less than 0.007 (and fits in 64 bits): e ≤ log10 2^b ≤ log10 a, and
	// log10 a < log10 2^(b+1) < e + 1 + 0.007 + 0.302.
	b := int64(a.MantExp(nil) - 1) // 2^b ≤ a < 2^(b+1)
	e := floorDiv(b*97879, 325147)
	if b < 0 {
		e = floorDiv(b*76573, 254370)
	}
	D, exact := scaledDigits(a, int64(n)-e, away)
	s := D.String()
	e += int64(len(s) - 1 - n)
	for len(s) > n {
		r := new(big.Int)
		D.QuoRem(D, tenInt, r)
		if r.Sign() != 0 {
			exact = false
			if away {
				D.Add(D, oneInt)
			}
		}
		t := D.String()
		e += int64(len(t) - (len(s) - 1)) // rounded up to a power of ten
		if s = t; len(s) == n+1 && strings.Trim(s[1:], "0") == "" {
			s = s[:n] // 10^n: a digit of zeros too many
		}
	}
	if exact {
		s = strings.TrimRight(s, "0")
	}
	s = place(s, e)
	if negative {
		s = "-" + s
	}
	return s
}

var tenInt = big.NewInt(10)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// largeShift is the exponent from which scaledDigits works with enclosures.
const largeShift = 1 << 15

// scaledDigits returns an integer D ≤ a·10^k (away false) or ≥ (away true), less
// than one from it where exponents are moderate, and whether it is exact.
func scaledDigits(a *big.Float, k int64, away bool) (*big.Int, bool) {
	m, e := mantissa(a)
	if -largeShift < e && e < largeShift && -largeShift < k && k < largeShift {
		num, den := m, big.NewInt(1)
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(k, -k)), nil)
		if k >= 0 {
			num.Mul(num, ten)
		} else {
			den.Set(ten)
		}
		if e >= 0 {
			num.Lsh(num, uint(e))
		} else {
			den.Lsh(den, uint(-e))
		}
		q, r := new(big.Int).QuoRem(num, den, new(big.Int))
		if r.Sign() == 0 {
			return q, true
		}
		if away {
			q.Add(q, oneInt)
		}
		return q, false
	}
	// a·10^k = m·5^k·2^(e+k), where neither 5^k nor m·5^k is out of range though 10^k
	// or 1/10^k may be: |k| ≤ 0.302·(MaxExp + 1) + n + 1, and log2 5 < 2.33. D has about as
	// many digits as k + log10 a; 64 more bits keep the enclosure far narrower than
	// one unit.
	digits := k + int64(a.MantExp(nil))*30103/100000
	p := Prec(min(max(4*digits, 64)+64, MaxPrec))
	x := new(big.Float).SetInt(m)
	y := p.Mul(Interval{x, x}, p.PowInt(Int(5), k))
	if away {
		q, acc := p.scale(up, y.h(), e+int(k)).Int(nil)
		if acc != big.Exact {
			q.Add(q, oneInt)
		}
		return q, false
	}
	q, _ := p.scale(down, y.l(), e+int(k)).Int(nil)
	return q, false
}

// place writes the digits d₀d₁d₂… of a number d₀.d₁d₂…·10^e.
func place(digits string, e int64) string {
	n := int64(len(digits))
	switch {
	case e >= 0 && e < 21 && e < n-1:
		return digits[:e+1] + "." + digits[e+1:]
	case e >= 0 && e < 21:
		return digits + strings.Repeat("0", int(e-n+1))
	case e < 0 && e >= -7:
		return "0." + strings.Repeat("0", int(-e-1)) + digits
	}
	if n > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return digits + "e" + strconv.FormatInt(e, 10)
}

// String formats x for people who debug; see Decimal for output.
func (x Interval) String() string {
	lo, hi := x.Decimal(20)
	return "[" + lo + ", " + hi + "]"
}
