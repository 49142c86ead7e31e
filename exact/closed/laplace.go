package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

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
		return clampUnit(interval.Max(interval.Int(0), interval.Max(middle, left)))
	})
}
