// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"

	"dpverify/float/value"
)

// Gaussian is the profile of (N(μ, 1), N(0, 1)), the analytic Gaussian mechanism:
//
//	δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)          [Balle & Wang 2018, Theorem 8]
//
// With a = ε/μ − μ/2, b = ε/μ + μ/2 and X the scaled complementary error function, it is
// ½e^(−a²/2)·(X(a/√2) − X(b/√2)) where a ≥ 0, because b² = a² + 2ε, and
// Φ(−a) − ½e^(−a²/2)·X(b/√2) where a < 0 ≤ b. For ε < 0, δ(ε) = 1 − e^ε + e^ε·δ(−ε),
// the pair being self-dual: every term is positive.
//
// Err: about (a² + a/μ + 10)·u of δ, from the rounding of a and from the difference.
func Gaussian(mu value.Value) Profile {
	half := mu.Scale(0.5)
	return func(eps value.Value) value.Value {
		if eps.V < 0 {
			mirror := gaussian(mu, half, eps.Neg())
			return eps.Expm1().Neg().Add(eps.Exp().Mul(mirror)).Clamp(0, 1)
		}
		return gaussian(mu, half, eps)
	}
}

// gaussian is the profile at ε ≥ 0.
func gaussian(mu, half, eps value.Value) value.Value {
	x := eps.Div(mu)
	a, b := x.Sub(half), x.Add(half)
	if math.IsInf(a.Err, 1) || math.IsInf(b.Err, 1) {
		return value.Between(0, 1)
	}
	if a.V > 40 {
		// δ ≤ Φ(−a) ≤ e^(−a²/2) < 2^−1074 for a ≥ 38.7
		return value.Within(0, 0x1p-1074)
	}
	scale := a.Mul(a).Scale(-0.5).Exp().Scale(0.5)
	if a.V >= 0 {
		return scale.Mul(value.Erfcx(root2(a)).Sub(value.Erfcx(root2(b)))).Clamp(0, 1)
	}
	return value.NormalSF(a).Sub(scale.Mul(value.Erfcx(root2(b)))).Clamp(0, 1)
}

// root2 returns x/√2; the constant is within u of 1/√2.
func root2(x value.Value) value.Value {
	y := x.Scale(1 / math.Sqrt2)
	y.Err += 2 * value.U * math.Abs(y.V)
	return y
}
