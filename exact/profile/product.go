// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Times returns the profile of the product of a pair with profile base and a
// discrete pair with the given outcomes:
//
//	δ(ε) = Σ_j P_j·δ₀(ε − L_j), L_j = log P_j/Q_j,
//
// where an outcome of infinite loss contributes P_j and one of loss −∞ nothing.
// It is Theorem 4.2 of Chourasia et al. 2024 for discrete losses (corrected by
// the infinite mass): H_α(P₁×P₂‖Q₁×Q₂) = Σ_j H_{α·Q_j/P_j}(P₁‖Q₁)·P_j. rest bounds the
// P-mass of outcomes that are left out, each of which adds at most its mass.
//
// An outcome whose mass is below 2^−p of the sum so far is not worth a value of
// δ₀: it adds between 0 and its mass.
func Times(base Func, outcomes []pair.Outcome, rest interval.Interval) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		sum := interval.Union(interval.Int(0), rest)
		for _, o := range outcomes {
			if err := ctx.Err(); err != nil {
				return unit, err
			}
			switch {
			case o.P.IsZero():
				continue
			case o.Q.IsZero():
				sum = w.Add(sum, o.P)
				continue
			case o.P.Less(w.Scale(sum, -int(w))) == interval.True:
				sum = w.Add(sum, interval.Union(interval.Int(0), o.P))
				continue
			}
			d, err := base(ctx, w, func(w interval.Prec) interval.Interval {
				return w.Sub(eps(w), o.EncloseLoss(w))
			})
			if err != nil {
				return unit, err
			}
			sum = w.Add(sum, w.Mul(o.P, d))
		}
		return p.Round(clamp(interval.Min(sum, interval.Int(1)))), nil
	}
}
