// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// DiscreteLaplace returns the privacy profile of (X, s + X) for X on the integers with
// masses ∝ e^(−a|x|), a > 0, and an integer shift s > 0:
//
//	δ(ε) = max(0, 1 − e^ε, 1 − min_{1≤m≤s} h(m)/(1 + e^−a)),  h(m) = e^−am + e^(ε − a(s+1−m)).
//
// The loss at x is a·(|x − s| − |x|), which does not rise, so that L > ε nowhere,
// everywhere, or on x < m for some m; the loss is constant up to 0 and from s on, hence
// 1 ≤ m ≤ s. With P(X ≥ m) = e^−am/(1 + e^−a) for m ≥ 1 and P(X < m − s) = P(X ≥ s + 1 − m),
// the third term is P(X < m) − e^ε·P(X < m − s). Each term belongs to an event, so none
// exceeds δ(ε), and the term of L > ε attains it: an equality.
//
// h is convex and symmetric about c = (s + 1)/2 − ε/2a: the best integer is one next to
// c, or the end of [1, s] next to it. Where the enclosure of c does not tell which integers
// these are, h ≥ 2·e^((ε − a(s+1))/2), its value at c, bounds δ from above, and any integer
// bounds it from below.
//
// Requires: a > 0, s ≥ 1.
// Rounding: outward. Width: about p relative bits, unless δ < 2^−(8p + 4096).
func DiscreteLaplace(p interval.Prec, a *big.Rat, s int64, eps interval.Real) interval.Interval {
	return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		e, x := eps(w), w.Rat(a)
		norm := w.Add(one, w.Exp(x.Neg()))
		times := func(m int64) interval.Interval { return w.Mul(x, interval.Int(m)) }
		term := func(m int64) interval.Interval {
			h := w.Add(w.Exp(times(m).Neg()), w.Exp(w.Sub(e, times(s+1-m))))
			return w.Sub(one, w.Div(h, norm))
		}
		best := interval.Max(zero, w.Expm1(e).Neg())

		c := w.Scale(w.Sub(interval.Int(s+1), w.Div(e, x)), -1)
		lo, hi, ok := interval.Min(interval.Max(c, one), interval.Int(s)).Rationals()
		const candidates = 4
		if ok {
			first := new(big.Int).Div(lo.Num(), lo.Denom()).Int64() // ⌊lo⌋
			last := min(s, new(big.Int).Div(hi.Num(), hi.Denom()).Int64()+1)
			if last-first < candidates {
				for m := first; m <= last; m++ {
					best = interval.Max(best, term(m))
				}
				return interval.Clamp(best, 0, 1)
			}
		}
		middle := w.Scale(w.Exp(w.Scale(w.Sub(e, times(s+1)), -1)), 1)
		above := interval.Max(best, w.Sub(one, w.Div(middle, norm)))
		below := interval.Max(best, term((s+1)/2))
		return interval.Clamp(interval.Bounds(below.Lo(), above.Hi()), 0, 1)
	})
}
