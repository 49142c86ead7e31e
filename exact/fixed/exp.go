// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "math/bits"

// expErr bounds the error of exp.
const expErr = 26

// exp returns m and e with |e^x − m·2^e| < 26·2^(e−192) and 1/4 − 2^−180 < m < 0.51, for x = n + f.
//
// Requires: −2^20 ≤ n < 2^20.
//
// Reduction. Let I = ⌊2^40/log 2⌋ and t₀ = n·I + ⌊f.hi·I/2^64⌋. Then 2^40·x/log 2 − t₀ is in (−2^20, 2^20 + 3):
// n times the fraction lost of I, and less than 3 for f. For t = t₀ − 2^20 − 1 and k = ⌊t/2^40⌋ the number r = x −
// k·log 2 satisfies r/log 2 > 2^−40 and < 1 + (2^21 + 4)/2^40, so that 2^−41 < r < 0.69316 < 178/256. k·log 2 is low by
// less than 2 ulps: 2^21·2^−256 and the word left out. r is computed modulo 1, and is not near either end.
//
// Tables and series. r = r₁ + r₂ + r₃ + u as in table3; v = e^u − 1 is low by < 10 ulps. With t₃, low by < 1,
// w = (1 + t₃)(1 + v) − 1 is low by < 1.01 + 10.01 + 6 < 18, and w < 2^−15.9. m = a + a·w: a's error, < 8, times
// 1 + w; w's times a < 0.51; and 6: < 23.4 ulps. The error of r counts less than 2·0.51 more, on either side.
func exp(n int64, f frac) (m frac, e int) {
	const inverse = 1586259972792 // ⌊2^40/log 2⌋
	k := (n*inverse + int64(mulHi(f.hi, inverse)) - 1<<20 - 1) >> 40
	r := times(uint64(max(k, -k)), &ln2Words).f
	if k < 0 {
		r = add(f, r)
	} else {
		r = sub(f, r)
	}
	a, t3 := table3(r.hi)
	v := expSeries.eval(frac{r.hi & (1<<40 - 1), r.mi, r.lo})
	w := add(add(t3, v), mul(t3, v))
	return add(a, mul(a, w)), int(k) + 2
}

// A mixed is n + f.
type mixed struct {
	n uint64
	f frac
}

// times returns q·c, low by [0, 2) ulps for q < 2^62 and a constant c that its four words are low by less than
// 2^−256 for: q·2^−256, and less than one for the word left out.
func times(q uint64, c *[4]uint64) mixed {
	p3h, p3l := bits.Mul64(q, c[0])
	p2h, p2l := bits.Mul64(q, c[1])
	p1h, p1l := bits.Mul64(q, c[2])
	p0h, _ := bits.Mul64(q, c[3])
	lo, carry := bits.Add64(p1l, p0h, 0)
	mi, carry := bits.Add64(p2l, p1h, carry)
	hi, carry := bits.Add64(p3l, p2h, carry)
	return mixed{p3h + carry, frac{hi, mi, lo}}
}

// table3 returns a = e^(r₁ + r₂)/4, low by [0, 8) ulps, and t₃ = e^(r₃) − 1, low by [0, 1), for the three
// leading bytes r₁, r₂, r₃ of r.
//
// Requires: r₁ < expFirst/256.
//
// a = t₁ + t₁·t₂: t₁'s error, < 1, times 1 + t₂ < 1.004; t₂'s times t₁ < 0.51; and 6 of the product.
func table3(r uint64) (a, t3 frac) {
	t1, t2 := &expTable[0][r>>56], &expTable[1][r>>48&255]
	return add(*t1, mul(*t1, *t2)), expTable[2][r>>40&255]
}

// Exp returns an enclosure of e^x. It is Unknown for |x| ≥ 2^20, and where x is not known to
// 2^−131.
//
// For |t| ≤ r: |e^t − 1| ≤ r + r², so that an error of the argument of r < 2^−130 adds less than
// 0.51·r·(1 + 2^−130) to m, which is less than r.
func (Three) Exp(x Real) Real {
	n, f, r, ok := x.split()
	if !ok {
		return Unknown()
	}
	m, e := exp(n, f)
	return pack(false, m, expErr+r, e)
}

// split returns n, f and r such that x is within r ulps of n + f. It reports false unless |x| < 2^20
// and r ≤ 2^61.
func (x Real) split() (n int64, f frac, r uint64, ok bool) {
	if x.err() > maxErr || x.exp() > 20 {
		return 0, f, 0, false
	}
	u, f := uint64(0), x.m
	r = x.err()
	switch {
	case x.exp() > 0:
		if r>>(61-x.exp()) != 0 {
			return 0, f, 0, false
		}
		u, f, r = f.hi>>(64-x.exp()), f.shl(uint(x.exp())), r<<x.exp()
	case x.exp() < 0:
		f, r = f.shr(uint(-x.exp())), r>>min(-x.exp(), 63)+2
	}
	if r > 1<<61 {
		return 0, f, 0, false
	}
	n = int64(u)
	if x.neg() {
		n = -n
		if !f.isZero() {
			n, f = n-1, sub(frac{}, f)
		}
	}
	return n, f, r, true
}
