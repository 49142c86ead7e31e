// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// An overlap is the set of outcomes where both densities of a Laplace pair, clamped or not, are positive. Its unit is
// the scale, and 0 is the location. P has the density f(y) = e^(−|y|)/2, and Q has f(y − t).
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
		return newOverlap(w, x.Shift, nil), true
	case pair.Clamped:
		if x.Noise != pair.LaplaceNoise {
			return o, false
		}
		t := new(big.Rat).Quo(x.Shift, x.Width)
		low := new(big.Rat).Quo(x.Location, x.Width)
		low.Neg(low) // 0 as y
		if x.ShiftFirst {
			// The atoms at 0 are F(0) and F(−t).
			o = newOverlap(w, t, low)
			p, q := laplaceCDF(w, low), laplaceCDF(w, new(big.Rat).Sub(low, t))
			o.points = append(o.points, massPoint{w.Sub(w.Log(p), w.Log(q)), q})
		} else {
			// Q has its atom F(0) at t, where P has none, and both have densities beyond it. P alone has what is below.
			end := new(big.Rat).Add(low, t)
			o = newOverlap(w, t, end)
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

// newOverlap is that on y ≥ low, or all y.
func newOverlap(w interval.Prec, t, low *big.Rat) overlap {
	o := overlap{factor: w.Scale(w.Exp(w.Scale(w.Rat(t), -1).Neg()), -2)}
	loss := w.Rat(t)
	if low == nil || low.Sign() < 0 { // (e^0 − e^low)·e^(−t)/2
		q := w.Scale(w.Exp(loss.Neg()), -1)
		if low != nil {
			q = w.Mul(q, w.Expm1(w.Rat(low)).Neg())
		}
		o.points = append(o.points, massPoint{loss, q})
	}
	rest := w.Scale(one, -1) // e^(−(y−t))/2 beyond max(t, low)
	if low != nil && low.Cmp(t) > 0 {
		rest = w.Scale(w.Exp(w.Rat(new(big.Rat).Sub(t, low))), -1)
	}
	o.points = append(o.points, massPoint{loss.Neg(), rest})
	from := new(big.Rat)
	if low != nil && low.Sign() > 0 {
		from = low
	}
	if from.Cmp(t) < 0 {
		o.lo, o.hi = new(big.Rat).Neg(t), new(big.Rat).Sub(t, new(big.Rat).Add(from, from))
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

// clampedLaplace is E_Q[e^(αL); P, Q > 0], the sum over the points and, with c = α − 1/2,
//
//	e^(−t/2)/4·∫ e^(cl) dl = e^(−t/2)/4·e^(c·lo)·(e^(c(hi−lo)) − 1)/c.
func clampedLaplace(x pair.Clamped) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 32
		o, _ := overlapOf(w, x)
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
		return p.Round(w.Log(sum))
	}
}
