// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// Truncated noise with density c/C(r) on [−r, r], C(r) its untruncated mass there,
// against itself shifted by s < 2r. P alone has mass m = [−r, s − r]. The loss falls in
// the outcome, so for the best o in [s − r, r]
//
//	δ(ε) = (C[−r, s−r] + C[s−r, o] − e^ε·C[−r, o−s]) / C[−r, r].
//
// Both supports meet nowhere for s ≥ 2r: δ = 1.

func truncatedGaussian(x pair.TruncatedGaussian) Profile {
	if disjoint(x.Sensitivity, x.Radius) {
		return func(value.Value) value.Value { return value.Exact(1) }
	}
	quo := func(a *big.Rat) value.Value { return value.Rat(new(big.Rat).Quo(a, x.Sigma)) }
	s, r := quo(x.Sensitivity), quo(x.Radius)
	edge := quo(new(big.Rat).Sub(x.Sensitivity, x.Radius))
	norm := normalMass(r.Neg(), r)
	alone := normalMass(r.Neg(), edge)
	return func(eps value.Value) value.Value {
		best := s.Scale(0.5).Sub(eps.Div(s))
		if best.Hi() <= edge.Lo() { // no finite loss is above ε
			return alone.Div(norm).Clamp(0, 1)
		}
		o := clip(best, edge, r)
		gain := normalMass(edge, o).Sub(eps.Exp().Mul(normalMass(r.Neg(), o.Sub(s))))
		return alone.Add(value.Max(value.Exact(0), gain)).Div(norm).Clamp(0, 1)
	}
}

func truncatedLaplace(x pair.TruncatedLaplace) Profile {
	if disjoint(x.Sensitivity, x.Radius) {
		return func(value.Value) value.Value { return value.Exact(1) }
	}
	quo := func(a *big.Rat) value.Value { return value.Rat(new(big.Rat).Quo(a, x.Scale)) }
	s, r := quo(x.Sensitivity), quo(x.Radius)
	edge := quo(new(big.Rat).Sub(x.Sensitivity, x.Radius))
	norm := laplaceMass(r.Neg(), r)
	alone := laplaceMass(r.Neg(), edge)
	return func(eps value.Value) value.Value {
		// The loss is constant but for (0, s), where it falls from s to −s: the best
		// o is (s − ε)/2, or one of the ends.
		best := value.Exact(0)
		if eps.Lo() >= s.Hi() || s.Sub(eps).Scale(0.5).Hi() <= edge.Lo() { // no finite loss is above ε
			return alone.Div(norm).Clamp(0, 1)
		}
		for _, o := range []value.Value{clip(s.Sub(eps).Scale(0.5), edge, r), r} {
			gain := laplaceMass(edge, o).Sub(eps.Exp().Mul(laplaceMass(r.Neg(), o.Sub(s))))
			best = value.Max(best, gain)
		}
		return alone.Add(best).Div(norm).Clamp(0, 1)
	}
}

// clip returns min(max(x, lo), hi).
func clip(x, lo, hi value.Value) value.Value {
	return value.Max(value.Max(x, lo).Neg(), hi.Neg()).Neg()
}

// normalMass returns Φ(b) − Φ(a) for a ≤ b, by the tails on the side of the ends.
func normalMass(a, b value.Value) value.Value {
	if a.V+b.V > 0 {
		a, b = b.Neg(), a.Neg()
	}
	if b.V <= 0 {
		return value.NormalSF(b.Neg()).Sub(value.NormalSF(a.Neg()))
	}
	return value.Exact(1).Sub(value.NormalSF(b)).Sub(value.NormalSF(a.Neg()))
}

// laplaceMass returns ∫_a^b ½e^(−|x|) dx for a ≤ b. Each formula is for the side on
// which an end lies; used past 0 by e it is off by e² at most.
func laplaceMass(a, b value.Value) value.Value {
	if a.V+b.V > 0 {
		a, b = b.Neg(), a.Neg()
	}
	slack := value.Within(0, 2*(a.Err*a.Err+b.Err*b.Err))
	if b.V <= 0 { // ½e^b·(1 − e^(a−b))
		return b.Exp().Scale(0.5).Mul(a.Sub(b).Expm1().Neg()).Add(slack)
	}
	return a.Expm1().Add(b.Neg().Expm1()).Scale(-0.5).Add(slack)
}

func disjoint(s, r *big.Rat) bool { return s.Cmp(new(big.Rat).Add(r, r)) >= 0 }
