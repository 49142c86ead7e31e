// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
)

// logistic is M(α) = sinh((α − 1/2)x)/((2α − 1)·sinh(x/2)) of (Logistic(x, 1), Logistic(0, 1)): the density of the
// loss under P is e^(l/2)/(4·sinh(x/2)) on [−x, x]. With y = |2α − 1|·x and s = 2α − 1,
//
//	M(α) = e^((y−x)/2)·((1 − e^−y)/|s|)/(1 − e^−x),
//
// where (1 − e^−y)/|s| is x at s = 0.
func logistic(shift *big.Rat) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		s := new(big.Rat).Add(alpha, minusOne(alpha))
		s.Abs(s)
		y := new(big.Rat).Mul(s, shift)
		quotient := w.Rat(shift)
		if s.Sign() > 0 {
			quotient = w.Div(w.Expm1(w.Rat(y).Neg()).Neg(), w.Rat(s))
		}
		quotient = w.Div(quotient, w.Expm1(w.Rat(shift).Neg()).Neg())
		return p.Add(w.Scale(w.Rat(y.Sub(y, shift)), -1), w.Log(quotient))
	}
}

// boundedRange is the greatest moment, for α > 1, and the least moment, for α < 1, of a pair with log P/Q ∈ [t − ε,
// t], over t.
//
// Claim. With A = 1 − e^(−αε) and B = e^−ε − e^(−αε),
//
//	log M = (α − 1)·log((α−1)A/(αB)) + log(A/(α·(1 − e^−ε))).
//
// Proof. x^α is convex, or concave, so the best pair has the two losses t and t − ε (pair.TwoPoint). With z = e^t,
// its moment is M = z^(α−1)·(A − Bz)/(1 − e^−ε), which is best at z = (α−1)A/(αB), where A − Bz = A/α. This z is in
// [1, e^ε]: both (α−1)/B = e^ε·(α−1)/(1 − e^(−(α−1)ε)) and A are positive, and the rest is 1 − w + w·e^−y ≥ e^(−wy),
// the convexity of exp.
func boundedRange(eps *big.Rat) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		b := minusOne(alpha)
		if b.Sign() == 0 {
			return zero
		}
		w := p + 32
		fall := func(x *big.Rat) interval.Interval { return w.Expm1(w.Rat(x).Neg()).Neg() } // 1 − e^−x
		a := w.Div(fall(new(big.Rat).Mul(alpha, eps)), w.Rat(alpha))                        // A/α
		over := w.Div(w.Rat(b), fall(new(big.Rat).Mul(b, eps)))                             // (α−1)/(1 − e^(−(α−1)ε))
		logz := w.Add(w.Rat(eps), w.Add(w.Log(over), w.Log(a)))
		return p.Add(w.Mul(w.Rat(b), logz), w.Sub(w.Log(a), w.Log(fall(eps))))
	}
}

// boundedRangeDivergence is the greatest R_α, attained at every order by a pair of its own. At α =
// 1, where z = (e^ε − 1)/ε, it is log z − 1 + ε/(e^ε − 1) = −log(u) − 1 + u for u = 1/z, and at ∞ it is ε. R_α is at
// most ε at all orders.
func boundedRangeDivergence(eps *big.Rat) Divergence {
	moment := boundedRange(eps)
	return func(p interval.Prec, alpha Order) interval.Interval {
		a, finite := alpha.Rat()
		switch {
		case !finite:
			return p.Rat(eps)
		case a.Cmp(ratOne) == 0:
			w := p + 32
			u := w.Div(w.Rat(eps), w.Expm1(w.Rat(eps)))
			return atLeastZero(p.Sub(w.Sub(u, one), w.Log(u)))
		}
		// log M is about (α−1)·R: as many more bits as α − 1 is small, and as many as ε is.
		b := minusOne(a)
		w := p + 32 + interval.Prec(2*max(0, b.Denom().BitLen()-b.Num().BitLen())+
			2*max(0, eps.Denom().BitLen()-eps.Num().BitLen()))
		w = min(w, interval.MaxPrec/2)
		y := w.Div(moment(w, a), w.Rat(b))
		return interval.Min(p.Round(atLeastZero(y)), p.Rat(eps))
	}
}
