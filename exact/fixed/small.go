// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/fraction"

// nearZero is log2 of the |x| below which expm1 and log1p are computed relative to x.
const nearZero = -25

// factorErr bounds the error of factor.
const factorErr = 1 << 21

// factor returns an enclosure of S(u)/u = 1 + u·s₂ for the series S at every u within r ulps of f, where f < 2^−25.
//
// S(u)/u leaves out c₈u⁷ + … < 2^−178, and u·s₂ is low by less than 2^−148−25 for s₂ and 6 ulps: in all less than
// 2^−172, or 2^20 ulps of the number, which is less than 2^20 ulps of its half. For |u| < 2^−24, |(S(u)/u)′| = |1/2 +
// 2c₃u + …| < 0.6: r ulps of u are less than r ulps of the half.
func factor(c *fraction.Series, f frac, r uint64) Real {
	h := fraction.Mul(f, c.Half(f)).Shr(1)
	h.Hi += 1 << 63
	return pack(false, h, factorErr+r, 1)
}

// small returns |m| of x as a fraction and its error in ulps. It reports false unless it is below 2^−25 and the error
// below 2^−132.
func (x Real) small() (f frac, r uint64, ok bool) {
	if x.err() > maxErr || x.exp() > nearZero {
		return f, 0, false
	}
	s := uint(-x.exp())
	return x.m.Shr(s), x.err()>>min(s, 63) + 2, true
}

// Expm1 returns an enclosure of e^x − 1, to 165 bits or so where x is known.
//
// For x < 0, e^x − 1 = −E/(1 + E) with E = e^−x − 1.
func (w Three) Expm1(x Real) Real {
	f, r, ok := x.small()
	if !ok {
		return w.Sub(w.Exp(x), Int(1))
	}
	y := w.Mul(x, factor(&fraction.ExpSeries, f, r))
	if x.neg() {
		y = w.Div(y, w.Sub(Int(1), y))
	}
	return y
}

// Log1p returns an enclosure of log(1 + x), to 160 bits or so where x is known. It is Unknown unless x > −1 for sure.
//
// For x > 0, log(1 + x) = −log(1 − x/(1 + x)).
func (w Three) Log1p(x Real) Real {
	if _, _, ok := x.small(); !ok {
		return w.Log(w.Add(Int(1), x))
	}
	y := x
	if !x.neg() {
		y = w.Div(x, w.Add(Int(1), x)).Neg()
	}
	f, r, ok := y.small()
	if !ok {
		return Unknown()
	}
	y = w.Mul(y, factor(&fraction.LogSeries, f, r))
	if !x.neg() {
		y = y.Neg()
	}
	return y
}
