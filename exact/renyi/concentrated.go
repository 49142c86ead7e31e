// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"dpverify/exact/interval"
)

// ZCDPEpsilon encloses ε = ξ + ρ + 2√(ρ·log(1/δ)), for which (ξ, ρ)-zCDP implies (ε, δ)-DP [Bun & Steinke 2016,
// Proposition 1.3 and Lemma 3.5]. (ξ, ρ)-zCDP says that R_α ≤ ξ + ρα for all α > 1. This is Mironov's conversion at
// its best real order, α = 1 + √(log(1/δ)/ρ).
func ZCDPEpsilon(p interval.Prec, rho, xi, delta interval.Interval) interval.Interval {
	w := p + 16
	need := atLeastZero(w.Log(delta).Neg()) // reaches to ∞ for δ = 0
	root := w.Sqrt(w.Mul(rho, need))
	return p.Add(w.Add(xi, rho), w.Scale(root, 1))
}

// ZCDPDelta encloses δ = exp(−(ε − ξ − ρ)²/4ρ) for ε ≥ ξ + ρ, the inverse of ZCDPEpsilon. It is 1 below.
func ZCDPDelta(p interval.Prec, rho, xi, eps interval.Interval) interval.Interval {
	w := p + 16
	over := atLeastZero(w.Sub(w.Sub(eps, xi), rho))
	return p.Exp(w.Div(w.Sqr(over), w.Scale(rho, 2)).Neg())
}
