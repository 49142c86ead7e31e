// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// laplaceTails: the loss of (Lap(x,1), Lap(0,1)) has under P an atom 1/2 at x, an
// atom e^−x/2 at −x and between them the distribution function e^((l−x)/2)/2; Q
// mirrors P. Hence, for −x ≤ ε < x,
//
//	P(L > ε) = 1 − e^((ε−x)/2)/2,  Q(L > ε) = e^(−(ε+x)/2)/2,
//
// both are 1 for ε < −x and 0 for ε ≥ x.
func laplaceTails(shift *big.Rat) Tails {
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		x := w.Rat(shift)
		return bySide(w, eps, shift,
			func() (p, q interval.Interval) { return one, one },
			func(e interval.Interval) (p, q interval.Interval) {
				p = w.Sub(one, w.Scale(w.Exp(w.Scale(w.Sub(e, x), -1)), -1))
				return p, w.Scale(w.Exp(w.Scale(w.Add(e, x), -1).Neg()), -1)
			}, func() (p, q interval.Interval) { return zero, zero })
	}
}

// Laplace returns the privacy profile of (Lap(x, 1), Lap(0, 1)), x = shift > 0:
//
//	δ(ε) = 0 for ε ≥ x,  1 − e^((ε−x)/2) for |ε| ≤ x,  1 − e^ε for ε ≤ −x
//
// [Balle, Barthe & Gaboardi 2018, Theorem 3]. It is the maximum of the three
// expressions everywhere: 1 − e^((ε−x)/2) ≥ 0 iff ε ≤ x, and (ε−x)/2 ≤ ε iff ε ≥ −x.
func Laplace(p interval.Prec, shift *big.Rat, eps interval.Real) interval.Interval {
	return p.Refine(p+32, limit(p), func(w interval.Prec) interval.Interval {
		e := eps(w)
		middle := w.Expm1(w.Scale(w.Sub(e, w.Rat(shift)), -1)).Neg()
		left := w.Expm1(e).Neg()
		return interval.Clamp(interval.Max(zero, interval.Max(middle, left)), 0, 1)
	})
}

// laplaceCDF returns the distribution function of Lap(0, 1): e^x/2 for x ≤ 0 and
// 1 − e^−x/2 for x ≥ 0, rising and continuous.
func laplaceCDF(w interval.Prec, x interval.Interval) interval.Interval {
	neg := w.Scale(w.Exp(interval.Min(x, zero)), -1)
	pos := w.Scale(w.Exp(interval.Max(x, zero).Neg()), -1)
	switch {
	case x.Positive() == interval.False:
		return neg
	case x.Negative() == interval.False:
		return w.Sub(one, pos)
	}
	return interval.Union(neg, w.Sub(one, pos))
}
