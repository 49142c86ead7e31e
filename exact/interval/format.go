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
// exponent; here the digits are those of an integer division, or of an enclosure
// of x·10^k where the exponent is large.
func (x Interval) Decimal(max int) (lo, hi string) {
	n := x.digits(max)
	return decimal(x.l(), n, false), decimal(x.h(), n, true)
}

// digits returns how many significant digits the width of x deserves.
func (x Interval) digits(limit int) int {
	limit = max(limit, 1)
	if !x.IsFinite() || x.IsPoint() {
		return limit
	}
	const p = Prec(32)
	width := p.addUp(x.h(), new(big.Float).Neg(x.l()))
	size := x.Abs().h()
	// size/width ≥ 2^(bits−1)
	bits := size.MantExp(nil) - width.MantExp(nil)
	if bits <= 0 {
		return min(limit, 2)
	}
	return min(limit, bits*30103/100000+3)
}

// decimal returns f rounded to n significant digits, up or down.
func decimal(f *big.Float, n int, up bool) string {
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
	away := up != negative // round the magnitude up?
	// 10^e ≤ a < 10^(e+1) up to one; log10 2 lies between the two fractions.
	b := a.MantExp(nil) - 1 // 2^b ≤ a < 2^(b+1)
	e := floorDiv(int64(b)*30102999566, 100000000000)
	if b < 0 {
		e = floorDiv(int64(b)*30102999567, 100000000000)
	}
	D, exact := scaledDigits(a, int64(n)-1-e, away)
	s := D.String()
	for len(s) != n { // e was one too small, or the magnitude was rounded up to 10^n
		e += int64(len(s) - n)
		D, exact = scaledDigits(a, int64(n)-1-e, away)
		s = D.String()
		if len(s) == n+1 && strings.Trim(s[1:], "0") == "" {
			s = s[:n] // 10^n: a digit of zeros too many
			e++
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
	// D has about as many digits as k+log10 a; 64 more bits keep the enclosure
	// far narrower than one unit.
	digits := k + int64(a.MantExp(nil))*30103/100000
	p := Prec(min(max(4*digits, 64)+64, MaxPrec))
	y := p.Mul(Interval{a, a}, p.PowInt(Int(10), k))
	if away {
		q, acc := y.h().Int(nil)
		if acc != big.Exact {
			q.Add(q, oneInt)
		}
		return q, false
	}
	q, _ := y.l().Int(nil)
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
