// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// An overlap is the set of outcomes where both densities of a Laplace pair, clamped or truncated, are positive. Its
// unit is the scale, and 0 is the location. P has the density f(y) = e^(−|y|)/2, and Q has f(y − t).
//
// Outcomes y ≤ 0 have the loss t, outcomes y ≥ t the loss −t, and an atom has one loss. Between 0 and t the loss l =
// t − 2y has the Q-density e^(y−t)/2·dy = e^(−(t+l)/2)/4·dl.
//
// In the reversed pair, losses have the other sign, and an outcome of loss l has the mass q·e^l. The density between
// 0 and t is then e^l·e^(−(t+l)/2)/4 = e^(−(t+(−l))/2)/4, which is the same.
type overlap struct {
	points []massPoint
	lo, hi *big.Rat          // of the losses between, nil if there are none
	factor interval.Interval // e^(−t/2)/4
	lost   interval.Interval // Q-mass where P = 0
}

// A massPoint is a loss and its Q-mass.
type massPoint struct{ loss, q interval.Interval }

// overlapOf reports false for other pairs.
func overlapOf(w interval.Prec, x pair.Pair) (o overlap, ok bool) {
	switch x := x.(type) {
	case pair.Laplace:
		return newOverlap(w, x.Shift, nil, nil), true
	case pair.Clamped:
		if x.Noise != pair.LaplaceNoise {
			return o, false
		}
		t := new(big.Rat).Quo(x.Shift, x.Width)
		low := new(big.Rat).Quo(x.Location, x.Width)
		low.Neg(low) // 0 as y
		if x.ShiftFirst {
			// The atoms at 0 are F(0) and F(−t).
			o = newOverlap(w, t, low, nil)
			p, q := laplaceCDF(w, low), laplaceCDF(w, new(big.Rat).Sub(low, t))
			o.points = append(o.points, massPoint{w.Sub(w.Log(p), w.Log(q)), q})
		} else {
			// Q has its atom F(0) at t, where P has none, and both have densities beyond it. P alone has what is below.
			end := new(big.Rat).Add(low, t)
			o = newOverlap(w, t, end, nil)
			if o.lost = laplaceCDF(w, low); x.Reversed {
				o.lost = laplaceCDF(w, end)
			}
		}
		if x.Reversed {
			o.reverse(w)
		}
		return o, true
	}
	return o, false
}

// newOverlap is that on low ≤ y ≤ high, where nil is no end, and high is above 0 and low.
func newOverlap(w interval.Prec, t, low, high *big.Rat) overlap {
	o := overlap{factor: w.Scale(w.Exp(w.Scale(w.Rat(t), -1).Neg()), -2)}
	loss := w.Rat(t)
	if low == nil || low.Sign() < 0 { // (e^0 − e^low)·e^(−t)/2
		q := w.Scale(w.Exp(loss.Neg()), -1)
		if low != nil {
			q = w.Mul(q, w.Expm1(w.Rat(low)).Neg())
		}
		o.points = append(o.points, massPoint{loss, q})
	}
	from, end := new(big.Rat), t
	if low != nil && low.Sign() > 0 {
		from = low
	}
	if from.Cmp(t) > 0 {
		end = from
	}
	to := t
	if high == nil || high.Cmp(end) > 0 { // e^(t−end)/2 beyond end, less what is beyond high
		rest := w.Scale(w.Exp(w.Rat(new(big.Rat).Sub(t, end))), -1)
		if high != nil {
			rest = w.Mul(rest, w.Expm1(w.Rat(new(big.Rat).Sub(end, high))).Neg())
		}
		o.points = append(o.points, massPoint{loss.Neg(), rest})
	} else {
		to = high
	}
	if from.Cmp(t) < 0 {
		double := func(y *big.Rat) *big.Rat { return new(big.Rat).Add(y, y) }
		o.lo, o.hi = new(big.Rat).Sub(t, double(to)), new(big.Rat).Sub(t, double(from))
	}
	return o
}

func (o *overlap) reverse(w interval.Prec) {
	for i, a := range o.points {
		o.points[i] = massPoint{a.loss.Neg(), w.Mul(a.q, w.Exp(a.loss))}
	}
	if o.lo != nil {
		o.lo, o.hi = new(big.Rat).Neg(o.hi), new(big.Rat).Neg(o.lo)
	}
}

// laplaceCDF is P(Y ≤ y) for the density e^(−|y|)/2.
func laplaceCDF(w interval.Prec, y *big.Rat) interval.Interval {
	if y.Sign() <= 0 {
		return w.Scale(w.Exp(w.Rat(y)), -1)
	}
	return w.Sub(one, w.Scale(w.Exp(w.Rat(y).Neg()), -1))
}

// truncatedLaplace is the moment of Laplace noise on [−r, r], of which the norm is its mass 1 − e^(−r).
func truncatedLaplace(x pair.Truncated) LogMoment {
	s, r := new(big.Rat).Quo(x.Sensitivity, x.Width), new(big.Rat).Quo(x.Radius, x.Width)
	low := new(big.Rat).Sub(s, r)
	if low.Cmp(r) >= 0 {
		return noMoment
	}
	return laplaceMoment(func(w interval.Prec) (o overlap, norm interval.Interval) {
		return newOverlap(w, s, low, r), w.Expm1(w.Rat(r).Neg()).Neg()
	})
}

// laplaceMoment is E_Q[e^(αL); P, Q > 0], the sum over the points and, with c = α − 1/2,
//
//	e^(−t/2)/4·∫ e^(cl) dl = e^(−t/2)/4·e^(c·lo)·(e^(c(hi−lo)) − 1)/c,
//
// where both densities are divided by the norm.
func laplaceMoment(of func(interval.Prec) (o overlap, norm interval.Interval)) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		o, norm := of(w)
		a := w.Rat(alpha)
		sum := zero
		for _, m := range o.points {
			sum = w.Add(sum, w.Mul(m.q, w.Exp(w.Mul(a, m.loss))))
		}
		if o.lo != nil {
			c := new(big.Rat).Sub(alpha, big.NewRat(1, 2))
			width := new(big.Rat).Sub(o.hi, o.lo)
			y := w.Rat(width)
			if c.Sign() != 0 {
				y = w.Div(w.Expm1(w.Rat(width.Mul(width, c))), w.Rat(c))
			}
			y = w.Mul(y, w.Exp(w.Rat(c.Mul(c, o.lo))))
			sum = w.Add(sum, w.Mul(o.factor, y))
		}
		return p.Round(w.Log(w.Div(sum, norm)))
	}
}
