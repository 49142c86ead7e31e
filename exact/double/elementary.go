// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import "math"

// Exp64, Log64 and Cis64 compute with plain float64, and differ from the truth by a bound that
// is proved here; u = 2^−53 is the bound of one operation. They also serve to choose: their values are
// the same on all machines, unlike the functions of package math.

const (
	// expError bounds the relative error of Exp64 on [−700, 700].
	expError = 0x1p-45
	// logError bounds the relative error of Log64.
	logError = 0x1p-46
	// CisError bounds the errors of both parts of Cis64 on [−2^18, 2^18].
	CisError = 0x1p-46

	ln2High    = 0x1.62e42feep-1       // log 2 to 32 bits: products with |k| < 2^11 are exact
	ln2Low     = 0x1.a39ef35793c76p-33 // the rest, to 2^−86
	halfPiHigh = 0x1.921fb544p0        // π/2 to 32 bits: products with |k| < 2^20 are exact
	halfPiLow  = 0x1.0b4611a626331p-34 // the rest, to 2^−87
)

// inverse has 1/n, rounded.
var inverse = func() (t [24]float64) {
	for n := range t {
		t[n] = 1 / float64(n)
	}
	return t
}()

// Exp64 is about e^x; 0 and +∞ below −700 and above 700.
//
// Let k be an integer near x/log 2 and r = x − k·log 2, |r| < 0.37, |k| ≤ 1010. The product k·ln2High is exact and its
// difference from x rounded by at most 0.37u; k·ln2Low, below 2^−22, by 2^−22·u; their difference by 0.37u; and
// |k| times what ln2Low misses is below 2^−76. So r is off by less than u, and e^r by the factor 1 + 2u.
//
// The Taylor polynomial of degree 13 misses at most 1.5·0.37^14/14! < 2^−55. In Horner's rule with r/n the term
// r^n/n! is rounded 4n + 1 times at most, by (1 + 54u) in all: together 54u·e^0.37, relative to e^r ≥ e^−0.37 at
// most 54·2.1u < 114u. So the relative error is below 2^−45 = 256u. The factor 2^k is exact.
func Exp64(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 700:
		return math.Inf(1)
	case x < -700:
		return 0
	}
	k := math.Floor(float64(x/math.Ln2) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	y := 1.0
	for n := 13; n > 0; n-- {
		y = 1 + float64(float64(r*inverse[n])*y)
	}
	return math.Float64frombits(math.Float64bits(y) + uint64(int64(k))<<52)
}

// Log64 is about log x for x > 0; −∞ of 0.
//
// Let x = m·2^k, 1/√2 ≤ m < √2 about, and s = (m − 1)/(m + 1), |s| < 0.172: log m = 2s·Σ s^2n/(2n + 1). m − 1 is exact,
// and s off by the factor 1 + 3u, which log m is by 1 + 4u for it. The terms after n = 11 are below 2^−60 of
// the first; in Horner's rule term n is rounded 3n + 3 times at most, which is (1 + 40u) in all. So log m is
// off by the factor 1 + 46u.
//
// k·log 2 is off by 1 + 3u. For k ≠ 0, |log m| ≤ (1 + 4u)·log 2/2, m's limits being rounded, so that |log m| and
// |k|·log 2/2 are both at most (1 + 10u)·|log x|. The sum is off by less than (46 + 6 + 2)u·|log x| < 2^−46·|log x| =
// 128u·|log x|.
func Log64(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0):
		return math.NaN()
	case x > math.MaxFloat64:
		return x
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := (m - 1) / (m + 1)
	s2, y := float64(s*s), 0.0
	for n := 11; n >= 0; n-- {
		y = inverse[2*n+1] + float64(s2*y)
	}
	return float64(2*s*y) + float64(float64(k)*math.Ln2)
}

// Cis64 is about cos x and sin x.
//
// Let k be an integer near 2x/π and r = x − kπ/2, |r| < 0.8, |k| < 2^18. As for Exp64, r is off by less than 2u, and so
// are its sine and cosine. The Taylor polynomials of degrees 17 and 18 miss at most 0.8^19/19! < 2^−62. In Horner's
// rule a step of two degrees rounds 7 times (r², two inverses, three products, the difference), and the last product
// with r once: the term of degree n ≤ 18 is rounded 64 times at most, and the error at most 65u·cosh 0.8 < 88u. With
// the 2u of r and the 2^−62 of the remainder it is below 91u < 2^−46 = 128u.
func Cis64(x float64) (cos, sin float64) {
	k := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := (x - float64(k*halfPiHigh)) - float64(k*halfPiLow)
	r2 := float64(r * r)
	c, s := 1.0, 1.0
	for n := 18; n > 0; n -= 2 {
		c = 1 - float64(float64(r2*float64(inverse[n]*inverse[n-1]))*c)
	}
	for n := 17; n > 1; n -= 2 {
		s = 1 - float64(float64(r2*float64(inverse[n]*inverse[n-1]))*s)
	}
	s = float64(r * s)
	switch int64(k) & 3 {
	case 1:
		return -s, c
	case 2:
		return -c, -s
	case 3:
		return s, -c
	}
	return c, s
}

// Cis encloses cos x and sin x for |x| ≤ 2^18, neither of which changes faster than x; otherwise
// both are in [−1, 1].
func (x Interval) Cis() (cos, sin Interval) {
	if !(x.Lo >= -0x1p18 && x.Hi <= 0x1p18) {
		return Interval{-1, 1}, Interval{-1, 1}
	}
	m := x.Mid()
	r := Max(x.Sub(Point(m)), Point(m).Sub(x)).Add(Point(CisError)).Hi
	c, s := Cis64(m)
	return Point(c).Add(Interval{-r, r}), Point(s).Add(Interval{-r, r})
}

// Exp encloses e^x.
func (x Interval) Exp() Interval {
	lo, hi := 0.0, math.Inf(1)
	switch {
	case x.Lo > 700:
		lo = 0x1p1009 // < e^700
	case x.Lo >= -700:
		lo = Exp64(x.Lo) * (1 - 2*expError)
	}
	switch {
	case x.Hi < -700:
		hi = 0x1p-1009 // > e^−700
	case x.Hi <= 700:
		hi = Exp64(x.Hi) * (1 + 2*expError)
	}
	return outward(lo, hi)
}

// Log encloses log x of the positive members of x.
func (x Interval) Log() Interval {
	lo, hi := math.Inf(-1), math.Inf(1)
	if x.Lo > 0 && x.Lo <= math.MaxFloat64 {
		lo = Log64(x.Lo)
		lo -= 2 * logError * math.Abs(lo)
	} else if x.Lo > 0 {
		lo = 709
	}
	if x.Hi <= math.MaxFloat64 {
		hi = Log64(x.Hi)
		hi += 2 * logError * math.Abs(hi)
	}
	return outward(lo, hi)
}
