// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/interval"

// Abs returns an enclosure of |x|: |y| is as near to |m| as y is to m.
func (x Real) Abs() Real {
	x.tail &^= signBit
	return x
}

// ScaleC returns an enclosure of k·z.
func (w Three) ScaleC(k Real, z Complex) Complex { return Complex{w.Mul(k, z.Re), w.Mul(k, z.Im)} }

// AddC returns an enclosure of x + y.
func (w Three) AddC(x, y Complex) Complex { return Complex{w.Add(x.Re, y.Re), w.Add(x.Im, y.Im)} }

// SubC returns an enclosure of x − y.
func (w Three) SubC(x, y Complex) Complex { return Complex{w.Sub(x.Re, y.Re), w.Sub(x.Im, y.Im)} }

// ExpC returns an enclosure of e^z.
func (w Three) ExpC(z Complex) Complex {
	sin, cos := w.SinCos(z.Im)
	return w.ScaleC(w.Exp(z.Re), Complex{cos, sin})
}

// LogC returns an enclosure of the logarithms, with arguments in (−π/2, π/2), of the members of z, which have to be in
// the right half plane. It is Unknown unless that is known, by 128 bits or so.
func (w Three) LogC(z Complex) Complex {
	return Complex{w.Scale(w.Log(w.Add(w.Sqr(z.Re), w.Sqr(z.Im))), -1), w.Arg(z)}
}

// Arg returns an enclosure of the arguments in LogC. A first number is off by 0.004 or so: others are off by 2^−25 and
// 2^−77, and the last one lies within 2^−230. The enclosure does not rely on it.
func (w Three) Arg(z Complex) Real {
	phi := w.aboutArg(z)
	for range 2 {
		phi = w.argNear(z, phi).exact()
	}
	return w.argNear(z, phi)
}

// argNear is Arg by a point φ near the argument.
//
// Let |φ| < 2, u + iv = z·e^{−iφ}, u > 0 for certain, and r = v/u. Then arctan r, between −π/2 and π/2, is the argument
// of u + iv, and arg z = φ + arctan r + 2πk. As |arg z − φ| < π/2 + 2, |2πk| < π + 2 < 2π, so that k = 0. And arctan r
// is within |r|³/3 of r.
func (w Three) argNear(z Complex, phi Real) Real {
	sin, cos := w.SinCos(phi)
	u := w.Add(w.Mul(z.Re, cos), w.Mul(z.Im, sin))
	r := w.Div(w.Sub(w.Mul(z.Im, cos), w.Mul(z.Re, sin)), u)
	if phi.exp() > 1 || u.Positive() != interval.True || z.Re.Positive() != interval.True {
		return Unknown()
	}
	return w.widen(w.Add(phi, r), w.Mul(w.Sqr(r), r))
}

// aboutArg is a number near the argument of z: for 0 ≤ t ≤ 1, arctan t is about t·(π/4 + 0.273·(1 − t)).
func (w Three) aboutArg(z Complex) Real {
	x, y := z.Re.exact(), z.Im.exact().Abs()
	steep := w.Sub(y, x).Positive() == interval.True
	if steep {
		x, y = y, x
	}
	t := w.Div(y, x)
	phi := w.Mul(t, w.Sub(w.Scale(Int(1084), -10), w.Mul(w.Scale(Int(280), -10), t)))
	if steep {
		phi = w.Sub(w.Scale(Int(3217), -11), phi)
	}
	if z.Im.neg() {
		phi = phi.Neg()
	}
	return phi.exact()
}
