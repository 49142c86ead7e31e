// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// LossTail encloses the least upper bound of P(L > x), and of P(L ≥ x), x ≥ 0, over all pairs (P, Q) with Rényi
// guarantees, L = log P/Q.
//
// With S = {L ≥ x} and p = P(S), Q(S) ≤ p·e^−x. The test S is a post-processing, so that the binary pair (p, Q(S)) has
// the guarantees, and the pair (p, p·e^−x) has, as its divergences rise when Q(S) moves away from p. And what has the
// guarantees there is attained: a binary pair (p, q) with q slightly below p·e^−x has a loss above x with probability
// p.
//
// All p·e^−x with the guarantees are an interval from 0: E_α is jointly convex for α > 1, and concave for α < 1, and
// 1 at p = 0, where it is least, or greatest. Its end is found by bisection in q = p·e^−x.
func LossTail(gs []Guarantee, x *big.Rat) func(ctx context.Context, p interval.Prec) (interval.Interval, error) {
	return func(ctx context.Context, p interval.Prec) (interval.Interval, error) {
		w := p + 32
		grow := w.Exp(w.Rat(x))
		_, hi, ok := w.Exp(w.Rat(x).Neg()).Rationals()
		if !ok || len(gs) == 0 {
			return profile.Unit(), nil
		}
		y, err := halved(ctx, p, new(big.Rat), hi, func(q *big.Rat) interval.Truth { // that q is too much
			least, most, ok := w.Mul(w.Rat(q), grow).Rationals()
			kept := func(x *big.Rat) interval.Truth { return satisfies(w, gs, q, new(big.Rat).Sub(ratOne, x)) }
			switch {
			case !ok:
				return interval.Unknown
			case most.Cmp(ratOne) <= 0 && kept(most) == interval.True:
				return interval.False
			case least.Cmp(ratOne) > 0 || kept(least) == interval.False: // no probability, or too much
				return interval.True
			}
			return interval.Unknown
		})
		y = w.Mul(grow, y)
		return p.Round(interval.Max(interval.Int(0), interval.Min(y, interval.Int(1)))), err
	}
}
