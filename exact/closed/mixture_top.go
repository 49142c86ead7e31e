// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/exponential"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// GreatestMixtureLoss encloses the least upper bound of the losses of two mixtures, which is finite.
//
// It is at least ε where L > ε somewhere for certain, at least log(p/q) of a mean that is outermost in both, which L
// tends to, and at least L at any point; and at most ε where L > ε nowhere for certain. The two come together by the
// loss in the middle of where L > ε, which is off by the square of what ε is, or by halving.
func GreatestMixtureLoss(p interval.Prec, m pair.GaussianMixture) interval.Interval {
	if len(m.P.Means) == 1 {
		for _, i := range []int{0, len(m.Q.Means) - 1} {
			if m.P.Least().Cmp(m.Q.Means[i]) == 0 { // L < −log q_i, and tends to it
				return p.Log(p.Rat(m.Q.Probs[i])).Neg()
			}
		}
	}
	p = min(p, 128) // more digits are not worth their cost
	w := 2*p + 64
	t := mixtureTop{w, mixtureMeans(m)}
	lo, hi := new(big.Rat), interval.PosInf()
	raise := func(y interval.Interval) {
		if r, _, ok := y.Rationals(); ok && r.Cmp(lo) > 0 {
			lo = r
		}
	}
	for _, o := range []meanOfBoth{t.points[0], t.points[len(t.points)-1]} {
		if o.p.Sign() > 0 && o.q.Sign() > 0 {
			raise(w.Log(w.Rat(new(big.Rat).Quo(o.p, o.q))))
		}
	}
	step, least := big.NewRat(1, 1), interval.Pow2(-int(p)-8)
	twice := func() { step = new(big.Rat).Add(step, step) }
	for range 4 * int(w) {
		if w.Sub(hi, w.Rat(lo)).LessEq(w.Scale(interval.Max(one, w.Rat(lo)), 4-int(p))) == interval.True {
			break
		}
		at := new(big.Rat).Add(lo, step)
		s, ok := t.signs(at)
		if !ok {
			break
		}
		if somewhere(s) {
			// A sum above F is positive somewhere: is F, for certain?
			sums, upper := mixtureRatio(t.w, t.points, RatArg(t.w, at))
			if upper == nil {
				lo = at
			} else if s, ok := signsOf(t.w, sums); ok && somewhere(s) {
				lo = at
			}
			twice()
			continue
		}
		if len(s.Gaps) > 0 { // too near to be told
			twice()
			continue
		}
		hi = interval.Min(hi, w.Rat(at))
		before := lo
		if x, ok := t.middle(lo); ok {
			raise(t.loss(x))
		}
		gain := new(big.Rat).Sub(lo, before)
		if step = gain.Mul(gain, gain); step.Cmp(least) < 0 {
			step = least
		}
	}
	return p.Round(interval.Union(w.Rat(lo), hi))
}

// somewhere reports whether a sum is positive somewhere for certain.
func somewhere(s exponential.Signs) bool {
	for _, sign := range s.Of {
		if sign > 0 {
			return true
		}
	}
	return false
}

// A mixtureTop looks for the greatest loss at a working precision.
type mixtureTop struct {
	w      interval.Prec
	points []meanOfBoth
}

// signs are those of F at ε, or of a sum above it.
func (t mixtureTop) signs(eps *big.Rat) (exponential.Signs, bool) {
	lower, upper := mixtureRatio(t.w, t.points, RatArg(t.w, eps))
	if upper == nil {
		upper = lower
	}
	return signsOf(t.w, upper)
}

// middle is the middle of a bounded interval where L > ε.
func (t mixtureTop) middle(eps *big.Rat) (interval.Interval, bool) {
	s, ok := t.signs(eps)
	if !ok {
		return zero, false
	}
	for i, sign := range s.Of {
		if sign > 0 && i > 0 && i < len(s.Gaps) {
			return t.w.Mid(t.w.Scale(t.w.Add(t.w.Mid(s.Gaps[i-1]), t.w.Mid(s.Gaps[i])), -1)), true
		}
	}
	return zero, false
}

// loss encloses L at a point.
func (t mixtureTop) loss(x interval.Interval) interval.Interval {
	w := t.w
	sum := func(of func(meanOfBoth) *big.Rat) interval.Interval {
		var y interval.Interval
		for _, o := range t.points {
			if r := of(o); r.Sign() > 0 {
				m := w.Rat(o.mean)
				y = w.Add(y, w.Mul(w.Rat(r), w.Exp(w.Mul(m, w.Sub(x, w.Scale(m, -1))))))
			}
		}
		return w.Log(y)
	}
	return w.Sub(sum(func(o meanOfBoth) *big.Rat { return o.p }), sum(func(o meanOfBoth) *big.Rat { return o.q }))
}
