// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A truncated is noise conditioned on [−r, r] against the same shifted by s: with the distribution
// function C of the untruncated noise, L > ε exactly on x < o, where o is the
// crossing o* of the untruncated loss brought into [s − r, r] (what lies left of
// s − r has no mass under Q, what lies right of r none under P), so that
//
//	P(L > ε) = (C(o) − C(−r))/(C(r) − C(−r)),  Q(L > ε) = (C(o−s) − C(−r))/(C(r) − C(−r)).
//
// For s ≥ 2r the supports are disjoint, and the tails are 1 and 0.
type truncated struct {
	noise
	s, r *big.Rat
}

// tails are those of both at o. At o = s − r the second is 0 and at o = r the first is 1, exactly.
func (t truncated) tails(o interval.Interval) (p, q interval.Interval) {
	w := t.w
	shift, radius := w.Rat(t.s), w.Rat(t.r)
	least := new(big.Rat).Sub(t.s, t.r)
	first, last := o.LessEqRat(least), o.LessRat(t.r)
	o = interval.Min(interval.Max(o, w.Rat(least)), radius)
	low := t.cdf(radius.Neg())
	norm := w.Sub(t.cdf(radius), low)
	p, q = one, zero
	if last != interval.False {
		p = unitPart(w.Div(w.Sub(t.cdf(o), low), norm))
	}
	if first != interval.True {
		q = unitPart(w.Div(w.Sub(t.cdf(w.Sub(o, shift)), low), norm))
	}
	return p, q
}

// truncatedTails: where nothing exceeds ε, o* = −∞, and where everything does, o* = +∞.
func truncatedTails(x pair.Truncated) Tails {
	middle := new(big.Rat).Mul(x.Sensitivity, big.NewRat(1, 2))
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		if x.Disjoint() {
			return one, zero
		}
		t := truncated{noiseOf(w, x.Noise, x.Width, x.Sensitivity), x.Sensitivity, x.Radius}
		return bySide(w, eps, t.edge,
			func() (p, q interval.Interval) { return t.tails(w.Rat(x.Radius)) },
			func(e interval.Interval) (p, q interval.Interval) { return t.tails(t.crossing(middle, e)) },
			func() (p, q interval.Interval) { return t.tails(w.Rat(x.Radius).Neg()) })
	}
}
