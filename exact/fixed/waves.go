// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/fraction"

const (
	// waveScale: waves are in units of 2^(E−waveScale), where 2^E bounds the sum of all amplitudes.
	waveScale = 188
	// waveBlock is how many steps a wave is carried on before it starts anew.
	waveBlock = 128
	// stepErr bounds the rounding of a step, in units.
	stepErr = 13
)

// A wave is a·e^{−j(fall + iθ)}, j = 0, 1, ….
type wave struct {
	a           Complex
	theta, fall Real
	turn        Complex // e^{−fall−iθ}
	cos         frac    // e^{−fall}·|cos θ|
	flip        uint64  // all ones if cos θ < 0
	square      frac    // e^{−2·fall}
	over        bool    // what is left of it is an error
}

// tooMany units are not counted.
const tooMany = 1 << 40

// unitsOf bounds err·2^k from above, or is tooMany.
func unitsOf(err uint64, k int) uint64 {
	switch {
	case err == 0:
		return 0
	case k <= 0:
		return min(err>>min(-k, 63)+1, tooMany)
	case k > 40 || err > tooMany>>k:
		return tooMany
	}
	return min(err<<k, tooMany)
}

// carry adds the wave that begins with (x0, y0), (x1, y1) to the sums re and im.
//
// Rounding of x_{j+1}: as a 192-bit word a negative x exceeds what it stands for by 2^192, so that the product with cf
// exceeds by cf. mul is low by [0, 6), twice that by [0, 12), and ^t is −t − 1.
func (v *wave) carry(re, im []frac, x0, x1, y0, y1 frac) {
	c, flip := v.cos, v.flip
	im = im[:len(re)]
	for j := range re {
		re[j], im[j] = fraction.Add(re[j], x0), fraction.Add(im[j], y0)
		x0, x1 = x1, fraction.Sub(twice(x1, c, flip), x0)
		y0, y1 = y1, fraction.Sub(twice(y1, c, flip), y0)
	}
}

// twice returns 2·x·c, or its negative if flip is all ones, for an integer x in two's complement and a fraction c.
func twice(x, c frac, flip uint64) frac {
	p := fraction.Sub(fraction.Mul(x, c), ifNegative(x, c))
	return fraction.Make((p.Hi<<1|p.Mi>>63)^flip,
		(p.Mi<<1|p.Lo>>63)^flip,
		p.Lo<<1^flip)
}

// ifNegative returns b if a, in two's complement, is negative, and 0 otherwise.
func ifNegative(a, b frac) frac {
	mask := uint64(int64(a.Hi) >> 63)
	return fraction.Make(b.Hi&mask, b.Mi&mask, b.Lo&mask)
}

// fraction returns f and err such that |t| is within err ulps of f·2^k for every t of x with |t| ≤ 2^k. It reports
// false if x is unknown or larger than that by a factor.
func (x Real) fraction(k int) (f frac, err uint64, ok bool) {
	s := k - x.exp()
	switch {
	case !x.Known() || s < -1 && !x.isZero():
		return f, 0, false
	case s == 0 || x.isZero():
		return x.m, x.err(), true
	case s > 0:
		return x.m.Shr(uint(s)), x.err()>>min(s, 63) + 2, true
	case x.m.Hi>>63 == 0:
		return x.m.Shl(1), 2 * x.err(), true
	}
	// The middle of x is at least 2^k, and t at most: so t is between the middle less its error and 2^k.
	ones := ^uint64(0)
	return fraction.Make(ones, ones, ones), 2*x.err() + 1, true
}

// units returns x in units of 2^(top−waveScale), in two's complement, and a bound of the error.
func (x Real) units(top int) (f frac, err uint64, ok bool) {
	f, err, ok = x.fraction(top + 192 - waveScale)
	if x.neg() {
		f = fraction.Sub(frac{}, f)
	}
	return f, err, ok
}

// fromUnits undoes units.
func fromUnits(f frac, err uint64, top int) Real {
	neg := f.Hi>>63 != 0
	if neg {
		f = fraction.Sub(frac{}, f)
	}
	return pack(neg, f, err, top+192-waveScale)
}
