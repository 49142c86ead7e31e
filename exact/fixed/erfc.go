// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"math/bits"

	"dpverify/exact/fraction"
)

// erfcxErr bounds the error of erfcx.
const erfcxErr = 140

// erfcx returns e^(x²)·erfc(x)/2 for x = 16·f, low by [0, 140) ulps.
//
// Requires: f < 3/4.
//
// Theorem. erfcx(x) = 2/√π·∫₀^∞ e^(−t²−2xt) dt, so that its derivatives have alternating signs and are greatest, in
// magnitude, at 0: |erfcx⁽ⁿ⁾(x)|/n! ≤ 2^n·Γ((n + 1)/2)/(√π·n!) = 1/Γ(n/2 + 1) for x ≥ 0, by Legendre's duplication
// formula.
//
// Taylor's series to the left of x₀ has positive terms b_n·h^n with b_n ≤ 64^−n/Γ(n/2 + 1). Beyond n = 26, the half of
// them is below 64^−27/Γ(14.5)/2·(1 + 2^−6) < 2^−197. b₁₀/2 < 2^−67 needs no first word, b₁₉/2 < 2^−134 no second.
// x₀ is the least node above x, and h = 1 − (64x − i) − 2^−192 is short by an ulp, which takes
// b₁·2^−192 < 0.02 ulp.
//
// By Horner's rule, h ≤ 1 and no partial sum exceeds its first coefficient by more than a 32nd. A level of one word is
// low by < 1 for the coefficient, 1 for the words of h left out and 1 for the product; of two words by < 1 + 1 + 3; of
// three by < 1 + 6. In all 8·3 + 9·5 + 10·7 + 0.1 < 140.
func erfcx(f frac) frac {
	nd := nodeAt(f.Hi >> 54)
	h := fraction.Make(^(f.Hi<<10 | f.Mi>>54), ^(f.Mi<<10 | f.Lo>>54), ^(f.Lo << 10))
	p := nd.c[7]
	for n := 6; n >= 0; n-- {
		p = nd.c[n] + fraction.MulHi(p, h.Hi)
	}
	ph, pl := uint64(0), p
	for n := 8; n >= 0; n-- {
		var c uint64
		ph, pl = fraction.Mul2(h.Hi, h.Mi, ph, pl)
		pl, c = bits.Add64(pl, nd.b[n][1], 0)
		ph += nd.b[n][0] + c
	}
	q := fraction.Make(0, ph, pl)
	for n := 9; n >= 0; n-- {
		q = fraction.Add(nd.a[n], fraction.Mul(h, q))
	}
	return q
}

// erfc returns m, err and e with |erfc(16·f) − m·2^e| < err·2^(e−192), m ≥ 2^−8.
//
// Requires: f < 3/4.
//
// f² is low by < 6 ulps, so that x² = 256·f² is low by < 1536 and e^(−x²)·2^−e high by less than 0.51·1536·(1 + 2^−180)
// < 784, besides the error of exp: 810 ulps. With erfcx/2 = q the product m = a·q errs by less than 810·(q + 1 ulp) +
// 0.51·140 + 6. q ≥ erfcx(12)/2 > 0.0234, and a > 0.249.
func erfc(f frac) (m frac, err uint64, e int) {
	s := fraction.Mul(f, f)
	// −x² = n + g
	n, g := -int64(s.Hi>>56), fraction.Sub(frac{}, s.Shl(8))
	if !g.IsZero() {
		n--
	}
	a, e := fraction.Exp(n, g)
	q := erfcx(f)
	const aErr = 784 + fraction.ExpErr
	return fraction.Mul(a, q), fraction.MulHi(aErr, q.Hi) + 2 + erfcxErr*51/100 + 1 + 6, e + 1
}

// argument returns f and r such that |x| is within r ulps of 16·f in units of 2^−188. It reports false unless f < 3/4,
// r < 2^48.
func (x Real) argument() (f frac, r uint64, ok bool) {
	if x.err() > maxErr || x.exp() > 4 {
		return f, 0, false
	}
	f, r = x.m, x.err()
	if s := uint(4 - x.exp()); s > 0 {
		f, r = f.Shr(s), r>>min(s, 63)+2
	}
	return f, r, f.Hi>>62 < 3 && r < 1<<48
}

// Erfc returns an enclosure of erfc(x). It is Unknown for x ≥ 12.
//
// The derivative of log erfc(x) is −2/(√π·erfcx(x)), above −(x + √(x² + 2)) ≥ −2(x + 1) for x ≥ 0 [A&S 7.1.13], and
// above −2/√π for x ≤ 0. So an error of x of r units of 2^−188, r < 2^48, is one of less than
// m·2(16f + 1 + 2^−130)·16r·(1 + 2^−130) < m·(512f + 33)·r ulps. For x < −11, erfc(x) is within 2^−170 of 2.
func (w Three) Erfc(x Real) Real {
	f, r, ok := x.argument()
	if !ok {
		if x.neg() && x.farther() {
			return pack(false, frac{Hi: 1 << 63}, 1<<20, 2)
		}
		return Unknown()
	}
	m, err, e := erfc(f)
	if r > 0 {
		slope := f.Hi>>55 + 34 // > 512f + 33, < 2^9
		err += fraction.MulHi(slope*r, m.Hi) + 2
	}
	y := pack(false, m, err, e)
	if x.neg() {
		return w.Sub(Int(2), y)
	}
	return y
}

// farther reports whether |x| > 11 for sure.
func (x Real) farther() bool {
	return x.err() <= maxErr && x.m.Hi>>63 == 1 && (x.exp() > 4 || x.exp() == 4 && x.m.Hi>>62 == 3)
}

// NormalSF returns an enclosure of 1 − Φ(x) = erfc(x/√2)/2. It is Unknown for x ≥ 16.97.
func (w Three) NormalSF(x Real) Real {
	return w.Scale(w.Erfc(w.Mul(x, pack(false, rootHalf, 1, 0))), -1)
}
