// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package clamped encloses the profile of composed Gaussian noise that is clamped to be non-negative.
package clamped

import (
	"context"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Noise is Gaussian noise clamped to be non-negative, Count times, on several
// counters at once. With X = N(location, sigma²) and s the shift of a counter,
//
//	ClampThenShift (as deployed):             P = max(0, X), Q = s + max(0, X)
//	ShiftThenClamp (as printed in the paper): P = max(0, X), Q = max(0, s + X)
//
// Its profile is enclosed by the profile of the Gaussian without clamping, G(ε) with
// µ² = count·Σ(s/σ)², which is the same in both directions, and what clamping can change.
//
// ClampThenShift: let m be the probability that some P-outcome, of all rounds and counters,
// is below its s. Q has no such outcome, so P(L = ∞) = m. Elsewhere P and Q have the
// densities of X and X + s. The rest of δ is the Gaussian hockey-stick integral over outcomes
// above s, which is at most G, and at least G − m since what is left out has P-mass m. So
// max(m, G) ≤ δ(P‖Q) ≤ m + G. For δ(Q‖P) the same holds with m′ = the probability that some
// X ≤ 0, where Q has an atom and P has not; m′ ≤ m. The maximum over both directions is in
// [max(m, G), m + G].
//
// ShiftThenClamp: the pair is a post-processing of the Gaussian pair X, X + s, so δ ≤ G. In
// the other direction, let K replace each outcome 0 by a draw of X + s given X + s ≤ 0. Then
// K(Q) is the law of X + s again, and K(P) differs from the law of X at most by the total
// variation distance t of all rounds and counters, see [Counter.tail]. Post-processing does
// not raise δ, and P(S) ≥ K(P)(S) − t for every event S, so
// δ(P‖Q) ≥ δ(K(P)‖K(Q)) ≥ G − t.
type Noise struct {
	Counters []Counter
	Count    int64
	Order    mechanism.ClampOrder
}

// A Counter is the noise of one number that is released in every round.
type Counter struct{ Location, Sigma, Shift *big.Rat }

// below is the probability that a P-outcome of one round proves that it is not of Q:
// P(X ≤ s).
func (k Counter) below(p interval.Prec) interval.Interval {
	return p.NormalCDF(p.Rat(new(big.Rat).Quo(new(big.Rat).Sub(k.Shift, k.Location), k.Sigma)))
}

// tail is the total variation distance between X and the law that has the density of X above
// 0 and below it the law of X + s, scaled to the same mass.
//
// In units of σ from the location, 0 is at a = −location/σ, X has the density φ(z), X + s has
// φ(z − µ) for µ = s/σ, and the scale is e^k = Φ(a)/Φ(a − µ). The difference below a,
// φ(z) − e^k·φ(z − µ), has the sign of −µz + µ²/2 − k, which falls in z: it is positive up to
// c = µ/2 − k/µ. So the distance, its integral over where it is positive, is
// Φ(c) − e^k·Φ(c − µ).
//
// Rounding: outward. Inclusion makes the enclosure hold for the true c.
func (k Counter) tail(p interval.Prec) interval.Interval {
	a := p.Rat(new(big.Rat).Neg(new(big.Rat).Quo(k.Location, k.Sigma)))
	mu := p.Rat(new(big.Rat).Quo(k.Shift, k.Sigma))
	scale := p.Div(p.NormalCDF(a), p.NormalCDF(p.Sub(a, mu)))
	c := p.Sub(p.Div(mu, interval.Int(2)), p.Div(p.Log(scale), mu))
	return interval.Clamp(p.Sub(p.NormalCDF(c), p.Mul(scale, p.NormalCDF(p.Sub(c, mu)))), 0, 1)
}

// Prepare does what does not depend on ε. scale is the least δ to be resolved.
func (c Noise) Prepare(ctx context.Context, scale *big.Rat, e exact.Effort) (*Profile, error) {
	var gs []mechanism.Event
	p := e.Bits()
	log := interval.Int(0) // of a probability: that no P-outcome shows what clamping has done
	for _, k := range c.Counters {
		gs = append(gs, mechanism.Gaussian{NoiseMultiplier: new(big.Rat).Quo(k.Sigma, k.Shift)})
		once := k.tail(p)
		if c.Order == mechanism.ClampThenShift {
			once = k.below(p)
		}
		log = p.Add(log, p.Mul(interval.Int(c.Count), p.Log1p(once.Neg())))
	}
	m := p.Expm1(log).Neg()
	g, err := exact.Prepare(ctx, exact.Question{Event: mechanism.SelfComposed{Event: mechanism.Composed{Events: gs},
		Count: c.Count}, Scale: scale}, e)
	if err != nil {
		return nil, err
	}
	return &Profile{c.Order, m, g, p}, nil
}

// A Profile is the profile of noise at one effort.
type Profile struct {
	order mechanism.ClampOrder
	m     interval.Interval // m or, for ShiftThenClamp, t
	g     *exact.Profile
	bits  interval.Prec
}

// DeltaReal encloses δ(ε).
func (p *Profile) DeltaReal(ctx context.Context, eps interval.Real) (interval.Interval, error) {
	g, err := p.g.DeltaReal(ctx, eps)
	if err != nil {
		return interval.Interval{}, err
	}
	if p.order == mechanism.ClampThenShift {
		return interval.Clamp(interval.Bounds(interval.Max(p.m, g).Lo(), p.bits.Add(p.m, g).Hi()), 0, 1), nil
	}
	return interval.Clamp(interval.Bounds(p.bits.Sub(g, p.m).Lo(), g.Hi()), 0, 1), nil
}

// Epsilon inverts the bounds of δ: δ ≥ a implies ε ≥ ε_a, and δ ≤ b implies ε ≤ ε_b.
//
//	ClampThenShift: ε_G(δ) ≤ ε ≤ ε_G(δ − m), and ε = ∞ for δ < m
//	ShiftThenClamp: ε_G(δ + t) ≤ ε ≤ ε_G(δ)
func (p *Profile) Epsilon(ctx context.Context, delta *big.Rat, bits int) (exact.Result, error) {
	r, err := p.g.Epsilon(ctx, delta, bits)
	if err != nil {
		return r, err
	}
	inf := interval.Entire().Hi()
	_, most, ok := p.m.Rationals()
	if !ok {
		return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Entire()}}, nil
	}
	if p.order == mechanism.ShiftThenClamp {
		low, err := p.g.Epsilon(ctx, most.Add(most, delta), bits)
		return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Bounds(low.Lo(), r.Hi())}}, err
	}
	rest := new(big.Rat).Sub(delta, most)
	switch {
	case p.m.LessEqRat(delta) == interval.False:
		return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Point(inf)}}, nil
	case rest.Sign() <= 0:
		return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Bounds(r.Lo(), inf)}}, nil
	}
	high, err := p.g.Epsilon(ctx, rest, bits)
	return exact.Result{Enclosure: exact.Enclosure{Interval: interval.Bounds(r.Lo(), high.Hi())}}, err
}
