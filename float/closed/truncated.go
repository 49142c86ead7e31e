// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/float/pair"
	"dpverify/float/value"
	"dpverify/mechanism"
)

// A truncated is noise with density c/C(r) on [−r, r], C(r) its untruncated mass there,
// against itself shifted by s < 2r, in units of the width of the noise.
// P alone has mass m = [−r, s − r]. The loss falls in
// the outcome, so for the best o in [s − r, r]
//
//	δ(ε) = (C[−r, s−r] + C[s−r, o] − e^ε·C[−r, o−s]) / C[−r, r].
//
// Both supports meet nowhere for s ≥ 2r: δ = 1.
type truncated struct {
	noise       mechanism.Noise
	s, r, edge  value.Value // edge is s − r
	mass        func(a, b value.Value) value.Value
	norm, alone value.Value // C[−r, r] and C[−r, s − r]
}

// newTruncated reports false where both supports meet nowhere.
func newTruncated(x pair.Truncated) (t truncated, ok bool) {
	if x.Sensitivity.Cmp(new(big.Rat).Add(x.Radius, x.Radius)) >= 0 {
		return t, false
	}
	quo := func(a *big.Rat) value.Value { return value.Rat(new(big.Rat).Quo(a, x.Width)) }
	t = truncated{noise: x.Noise, s: quo(x.Sensitivity), r: quo(x.Radius),
		edge: quo(new(big.Rat).Sub(x.Sensitivity, x.Radius)), mass: laplaceMass}
	if t.noise == mechanism.GaussianNoise {
		t.mass = normalMass
	}
	t.norm, t.alone = t.mass(t.r.Neg(), t.r), t.mass(t.r.Neg(), t.edge)
	return t, true
}

// crossing is where the loss of the noise is l: it falls, of Laplace noise from s to −s between 0 and s.
func (t truncated) crossing(l value.Value) value.Value {
	if t.noise == mechanism.GaussianNoise {
		return t.s.Scale(0.5).Sub(l.Div(t.s))
	}
	return t.s.Sub(l).Scale(0.5)
}

// tails: the loss is above l for the outcomes below the crossing, clipped to where Q has mass.
func (t truncated) tails(l value.Value) (p, q value.Value) {
	o := t.crossing(l)
	if t.noise == mechanism.LaplaceNoise && l.V >= t.s.V {
		o = t.edge
	} else if t.noise == mechanism.LaplaceNoise && l.V < -t.s.V {
		o = t.r
	}
	o = clip(o, t.edge, t.r)
	return t.alone.Add(t.mass(t.edge, o)).Div(t.norm), t.mass(t.r.Neg(), o.Sub(t.s)).Div(t.norm)
}

// truncatedProfile: of Laplace noise, whose loss is constant but for (0, s), the best o is the crossing, or r.
func truncatedProfile(x pair.Truncated) Profile {
	t, ok := newTruncated(x)
	if !ok {
		return func(value.Value) value.Value { return value.Exact(1) }
	}
	return func(eps value.Value) value.Value {
		o := t.crossing(eps)
		if o.Hi() <= t.edge.Lo() || t.noise == mechanism.LaplaceNoise && eps.Lo() >= t.s.Hi() {
			return t.alone.Div(t.norm).Clamp(0, 1) // no finite loss is above ε
		}
		gain := func(o value.Value) value.Value {
			return t.mass(t.edge, o).Sub(eps.Exp().Mul(t.mass(t.r.Neg(), o.Sub(t.s))))
		}
		best := value.Max(value.Exact(0), gain(clip(o, t.edge, t.r)))
		if t.noise == mechanism.LaplaceNoise {
			best = value.Max(best, gain(t.r))
		}
		return t.alone.Add(best).Div(t.norm).Clamp(0, 1)
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
