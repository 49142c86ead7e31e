// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// Largest bounds the allocation of a record to one of t steps of a Gaussian pair at distance μ by the largest of the t
// likelihood ratios A_i = e^{μz_i−μ²/2}, whose sum is S. With little noise it is nearly all of the sum.
//
// Claim: for K = te^ε, S of t independent copies of a ratio A ≥ 0, and y ≥ 0 with (t−1)y < K,
//
//	E(A − K)₊ ≤ δ_remove(ε) = E(S − K)₊/t ≤ E(A − K + (t−1)y)₊ + (t−1)²/2·E(A; A > y)·P(A > y),
//	δ_add(ε) = E(1 − e^ε·S/t)₊ ≤ P(A < te^{−ε})^t.
//
// Proof: theorem The largest of t ratios.
type Largest struct {
	mu2   *big.Rat
	steps int64
	base  func(interval.Prec, interval.Real) interval.Interval // δ of the pair itself
}

// NewLargest returns the bounds, given the profile of the Gaussian pair.
func NewLargest(mu2 *big.Rat, steps int64, base func(interval.Prec, interval.Real) interval.Interval) Largest {
	return Largest{mu2, steps, base}
}

// Profile returns the bounds of the profile, or of the reverse. Of the reverse, nothing is known from below.
func (l Largest) Profile(reversed bool) profile.Func {
	if reversed {
		return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			w := p + 16
			far := w.Sub(eps(w), w.Log(interval.Int(l.steps))) // z < μ/2 − (ε − log t)/μ
			mu := w.Sqrt(w.Rat(l.mu2))
			all := w.PowInt(w.NormalSF(w.Sub(w.Div(far, mu), w.Scale(mu, -1))), l.steps)
			return interval.Clamp(interval.Union(interval.Int(0), p.Round(all)), 0, 1), nil
		}
	}
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		logK := func(w interval.Prec) interval.Interval { return w.Add(eps(w), w.Log(interval.Int(l.steps))) }
		below := l.base(p, logK)
		above := interval.Int(1)
		if y, ok := largeRatio(l.mu2, l.steps, double.Of(eps(64)).Mid()); ok {
			above = l.above(p+16, eps, y)
		}
		return interval.Clamp(p.Round(interval.Union(interval.Min(below, above), above)), 0, 1), nil
	}
}

// above is the bound from above for y = e^u.
func (l Largest) above(p interval.Prec, eps interval.Real, u *big.Rat) interval.Interval {
	others := interval.Int(l.steps - 1)
	logK := func(w interval.Prec) interval.Interval { return w.Add(eps(w), w.Log(interval.Int(l.steps))) }
	share := p.Mul(others, p.Exp(p.Sub(p.Rat(u), logK(p)))) // (t−1)y/K
	if share.LessRat(big.NewRat(1, 1)) != interval.True {
		return interval.Int(1)
	}
	one := l.base(p, func(w interval.Prec) interval.Interval {
		share := w.Mul(others, w.Exp(w.Sub(w.Rat(u), logK(w))))
		return w.Add(logK(w), w.Log(w.Sub(interval.Int(1), share)))
	})
	mu := p.Sqrt(p.Rat(l.mu2))
	half, at := p.Scale(mu, -1), p.Div(p.Rat(u), mu)
	both := p.Mul(p.NormalSF(p.Sub(at, half)), p.NormalSF(p.Add(at, half)))
	return p.Add(one, p.Mul(p.Scale(p.Sqr(others), -1), both))
}
