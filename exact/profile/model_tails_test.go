// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"

	"dpverify/exact/interval"
)

// A Law gives the upper tails P(L > ε) and Q(L > ε) of the loss of a pair (P, Q). The error
// is ctx's.
type Law func(ctx context.Context, p interval.Prec, eps interval.Real) (above, aboveQ interval.Interval, err error)

// FromLaw returns the profile of a law, δ(ε) = P(L > ε) − e^ε·Q(L > ε) [Zhu, Dong & Wang 2022,
// Lemma 19, with L = log P/Q].
func FromLaw(law Law) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		a, b, err := law(ctx, w, eps)
		if err != nil {
			return unit, err
		}
		d := w.Sub(a, w.Mul(w.Exp(eps(w)), b))
		return p.Round(interval.Min(interval.Max(d, interval.Int(0)), interval.Int(1))), nil
	}
}

// ToLaw returns the law of a profile [ibid., Lemma 23]: with α = e^ε, Q(L > ε) is minus the
// right derivative of the convex function H_α, and P(L > ε) = H_α + α·Q(L > ε). The derivative
// lies between difference quotients,
//
//	(H_α − H_{α+η})/η ≤ Q(L > ε) ≤ (H_{α−η} − H_α)/η, η = α·2^−bits,
//
// which are of width O(η) where there is a density, and as far apart as an atom is
// heavy where there is one.
func ToLaw(profile Func, bits uint) Law {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, interval.Interval, error) {
		w := p + interval.Prec(bits) + 32
		at := func(shift int) (interval.Interval, error) {
			return profile(ctx, w, func(w interval.Prec) interval.Interval {
				return w.Add(eps(w), w.Log1p(w.Scale(interval.Int(int64(shift)), -int(bits))))
			})
		}
		var h [3]interval.Interval
		for i := range h {
			var err error
			if h[i], err = at(i - 1); err != nil {
				return unit, unit, err
			}
		}
		alpha := w.Exp(eps(w))
		eta := w.Scale(alpha, -int(bits))
		low := interval.Max(w.Div(w.Sub(h[1], h[2]), eta), interval.Int(0))
		high := interval.Min(w.Div(w.Sub(h[0], h[1]), eta), interval.Int(1))
		q := interval.Bounds(low.Lo(), high.Hi())
		above := w.Add(h[1], w.Mul(alpha, q))
		return p.Round(interval.Min(above, interval.Int(1))), p.Round(q), nil
	}
}

// TradeOffAt returns a point of the trade-off function T[P, Q] from a law [ibid., Lemma 22]:
// the test that rejects P where L ≤ ε has the type I error x = 1 − P(L > ε) and, among the tests
// with no larger one, the least type II error f(x) = Q(L > ε).
func TradeOffAt(ctx context.Context, p interval.Prec, law Law, eps interval.Real) (x, f interval.Interval, err error) {
	a, b, err := law(ctx, p, eps)
	if err != nil {
		return unit, unit, err
	}
	return p.Sub(interval.Int(1), a), b, nil
}
