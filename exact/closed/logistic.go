// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// logisticTails: the density is log-concave, so that the loss of (Logistic(x, 1), Logistic(0, 1)) exceeds
// ε on a half line, with masses P = σ(y + x) and Q = σ(y) for the y at which the densities have the
// ratio e^ε. For |ε| ≤ x these are
//
//	P(L > ε) = (1 − e^((ε−x)/2))/(1 − e^−x),  Q(L > ε) = e^(−(ε+x)/2)·P(L > ε):
//
// 1 − P = e^((ε−x)/2)·(1 − Q) with 1 − Q = (1 − e^(−(ε+x)/2))/(1 − e^−x), so that their odds have the ratio e^x, as
// the odds of σ(y + x) and σ(y), and as σ′ = σ·(1 − σ) the ratio of the densities is P(1 − P)/(Q(1 − Q)) = e^ε.
// Both are 1 for ε ≤ −x and 0 for ε ≥ x; there are no atoms.
func logisticTails(shift *big.Rat) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		x := w.Rat(shift)
		e := interval.Min(interval.Max(eps.Interval, x.Neg()), x)
		all := w.Expm1(x.Neg()).Neg()
		p = unitPart(w.Div(w.Expm1(w.Scale(w.Sub(e, x), -1)).Neg(), all))
		return p, unitPart(w.Mul(w.Exp(w.Scale(w.Add(e, x), -1).Neg()), p))
	}
}

// Logistic returns the privacy profile of (Logistic(x, 1), Logistic(0, 1)), x = shift > 0, and of the
// exponential mechanism with ε = x:
//
//	δ(ε) = 0 for ε ≥ x,  (1 − e^((ε−x)/2))²/(1 − e^−x) for |ε| ≤ x,  1 − e^ε for ε ≤ −x.
//
// The second expression, with ε brought into [−x, x], is at least 1 − e^ε for |ε| ≤ x, since (1 −
// ab)² − (1 − a²)(1 − b²) = (a − b)² with a = e^(ε/2), b = e^(−x/2); for ε < −x it is 1 − e^−x < 1 − e^ε, for ε >
// x it is 0. So δ is the maximum of the two everywhere.
//
// Requires: x > 0.
// Rounding: outward. Width: about p relative bits, unless δ < 2^−(8p + 4096).
func Logistic(p interval.Prec, shift *big.Rat, eps interval.Real) interval.Interval {
	return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		e, x := eps(w), w.Rat(shift)
		inside := interval.Min(interval.Max(e, x.Neg()), x)
		middle := w.Div(w.Sqr(w.Expm1(w.Scale(w.Sub(inside, x), -1))), w.Expm1(x.Neg()).Neg())
		return interval.Clamp(interval.Max(zero, interval.Max(middle, w.Expm1(e).Neg())), 0, 1)
	})
}
