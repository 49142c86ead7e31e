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
	CisError = 0x1p-50

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

// inverse2 has 1/n times 1/(n − 1), each rounded.
var inverse2 = func() (t [19]float64) {
	for n := 2; n < len(t); n++ {
		t[n] = float64(inverse[n] * inverse[n-1])
	}
	return t
}()

// Exp64 is about e^x; 0 and +∞ below −700 and above 700.
//
// Let k be an integer near x/log 2 and r = x − k·log 2, |r| < 0.37, |k| ≤ 1010. The product k·ln2High is exact and its
// difference from x rounded by at most 0.37u; k·ln2Low, below 2^−22, by 2^−22·u; their difference by 0.37u; and
// |k| times what ln2Low misses is below 2^−76. So r is off by less than u, and e^r by the factor 1 + 2u.
//
// The Taylor polynomial of degree 13 misses at most 1.5·0.37^14/14! < 2^−55. It is the sum of its even and of its odd
// part, by Horner's rule in r² each, which a processor works out at the same time. The term r^n/n! is rounded once in
// its coefficient, three times for each power of r², in r² itself, the product and the sum, and three times at the
// end: less than 54 times, and by (1 + 54u) in all. Together that is 54u·e^0.37, relative to e^r ≥ e^−0.37 at most
// 54·2.1u < 114u. So the relative error is below 2^−45 = 256u. The factor 2^k is exact.
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
	r2 := float64(r * r)
	even := 1.0/40320 + float64(r2*(1.0/3628800+float64(r2*(1.0/479001600))))
	odd := 1.0/362880 + float64(r2*(1.0/39916800+float64(r2*(1.0/6227020800))))
	even = 1 + float64(r2*(1.0/2+float64(r2*(1.0/24+float64(r2*(1.0/720+float64(r2*even)))))))
	odd = 1 + float64(r2*(1.0/6+float64(r2*(1.0/120+float64(r2*(1.0/5040+float64(r2*odd)))))))
	y := even + float64(r*odd)
	return math.Float64frombits(math.Float64bits(y) + uint64(int64(k))<<52)
}

// Log64 is about log x for x > 0; −∞ of 0.
//
// Let x = m·2^k, 1/√2 ≤ m < √2 about, and s = (m − 1)/(m + 1), |s| < 0.172: log m = 2s·Σ s^2n/(2n + 1). m − 1 is exact,
// and s off by the factor 1 + 3u, which log m is by 1 + 4u for it. The terms after n = 11 are below 2^−60 of
// the first. The sum is one of its even and one of its odd part, by Horner's rule in s⁴, whose two factors and
// product are rounded: a term 2m takes 5m + 3 roundings, and a term 2m + 1 takes 5m + 5. So term n is rounded 3n + 3
// times at most, which is (1 + 40u) in all. So log m is off by the factor 1 + 46u.
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
	m, k := frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	return twiceArtanh((m-1)/(m+1)) + float64(float64(k)*math.Ln2)
}

// frexp is math.Frexp for 0 < x < ∞.
func frexp(x float64) (m float64, k int) {
	const exponent, half = 0x7ff << 52, 1022
	b := math.Float64bits(x)
	if x < 0x1p-1022 {
		return math.Frexp(x)
	}
	return math.Float64frombits(b&^exponent | half<<52), int(b>>52) - half
}

// twiceArtanh is about log((1 + s)/(1 − s)), see Log64.
func twiceArtanh(s float64) float64 {
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	even, odd := 0.0, 0.0
	for n := 20; n >= 0; n -= 4 {
		even = inverse[n+1] + float64(s4*even)
		odd = inverse[n+3] + float64(s4*odd)
	}
	y := even + float64(s2*odd)
	return float64(2 * s * y)
}

// Log1p encloses log(1 + x) of the members of x above −1, near 0 as closely as x is known.
//
// For −1/4 ≤ x ≤ 2/5 it is log((1 + s)/(1 − s)) with s = x/(2 + x), |s| < 0.172, which is rounded twice: the rest is as
// for Log64, so that it is off by the factor 1 + 46u at most.
func (x Interval) Log1p() Interval {
	if !(x.Lo >= -0.25 && x.Hi <= 0.4) {
		return x.Add(Point(1)).Log()
	}
	lo, hi := twiceArtanh(x.Lo/(2+x.Lo)), twiceArtanh(x.Hi/(2+x.Hi))
	const tiny = 0x1p-1000 // where s is subnormal
	return outward(down(lo-float64(2*logError*math.Abs(lo))-tiny), up(hi+float64(2*logError*math.Abs(hi))+tiny))
}

// Cis64 is about cos x and sin x.
//
// Let k be an integer near 2x/π and r = x − kπ/2, |r| < 0.8, |k| < 2^18. As for Exp64, r is off by less than 2u, and so
// are its sine and cosine. The Taylor polynomials of degrees 17 and 18 miss at most 0.8^19/19! < 2^−62. A step of
// Horner's rule is c = 1 − t·c′, t = r²/(n(n−1)), where 0.89 < c′ ≤ 1; t is rounded five times (r², 1/n, 1/(n−1), their
// product, and r² times that), t·c′ once, and the difference. So if c′ is off by e′u, c is off by at most
// (1.01 + t(e′ + 6))u, 0.01u for products of errors. For the sine n ≥ 3 and t < 0.107, so
// that e < 2 follows from e′ < 2, and the product with r adds u. For the cosine t < 0.054 but in the last step, where
// e′ < 2 and t < 0.32, so that e < 4. With the 2u of r, either is off by less than 8u.
func Cis64(x float64) (cos, sin float64) {
	k := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := (x - float64(k*halfPiHigh)) - float64(k*halfPiLow)
	r2 := float64(r * r)
	c, s := 1.0, 1.0
	for n := 18; n > 2; n -= 2 {
		c = 1 - float64(float64(r2*inverse2[n])*c)
		s = 1 - float64(float64(r2*inverse2[n-1])*s)
	}
	c = 1 - float64(float64(r2*inverse2[2])*c)
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
//
// Near 0, sines are closer: for |x| ≤ 0.7, r of Cis64 is x, so that its sine is off by less than 4u|x|.
func (x Interval) Cis() (cos, sin Interval) {
	if !(x.Lo >= -0x1p18 && x.Hi <= 0x1p18) {
		return Interval{-1, 1}, Interval{-1, 1}
	}
	m := x.Mid()
	c, s := Cis64(m)
	off := CisError
	if a := math.Abs(m); a <= 0.7 {
		off = float64(CisError * a)
	}
	width := Max(x.Sub(Point(m)), Point(m).Sub(x)).Upper()
	rc, rs := width.Add(Point(CisError)).Hi, width.Add(Point(off)).Hi
	return Point(c).Add(Interval{-rc, rc}), Point(s).Add(Interval{-rs, rs})
}

// Exp encloses e^x.
//
// Of an x as narrow as most are, e^Lo says all: e^Hi ≤ e^Lo·(1 + 2d) for d = Hi − Lo ≤ 1. Roundings are below 4u, and
// what expError is taken twice for is 256u.
func (x Interval) Exp() Interval {
	lo, hi := 0.0, math.Inf(1)
	switch d := up(x.Hi - x.Lo); {
	case x.Lo > 700:
		lo = 0x1p1009 // < e^700
	case x.Lo >= -700 && x.Hi <= 700 && d <= narrow:
		y := Exp64(x.Lo)
		return outward(y*(1-2*expError), float64(y*(1+2*expError))*(1+2*d))
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

// narrow is the width up to which both ends of e^x come from one value.
const narrow = 0x1p-20

// Log encloses log x of the positive members of x. Where it can, it takes one value: log Hi ≤ log Lo + (Hi − Lo)/Lo.
func (x Interval) Log() Interval {
	if x.Lo > 0 && x.Hi <= math.MaxFloat64 {
		if d := up(up(x.Hi-x.Lo) / x.Lo); d <= narrow {
			y := Log64(x.Lo)
			off := 2 * logError * math.Abs(y)
			return outward(y-off, up(up(y+off)+d))
		}
	}
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
