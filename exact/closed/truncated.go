// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"
	"sync/atomic"

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
	shift, radius interval.Interval
	least, most   *big.Rat          // s − r and r, the least and the greatest crossing
	low, norm     interval.Interval // C(−r) and C(r) − C(−r)
}

func newTruncated(w interval.Prec, x pair.Truncated) *truncated {
	t := &truncated{noise: noiseOf(w, x.Noise, x.Width, x.Sensitivity), shift: w.Rat(x.Sensitivity),
		radius: w.Rat(x.Radius), least: new(big.Rat).Sub(x.Sensitivity, x.Radius), most: x.Radius}
	t.low = t.cdf(t.radius.Neg())
	t.norm = w.Sub(t.cdf(t.radius), t.low)
	return t
}

// tails are those of both at o. At o = s − r the second is 0 and at o = r the first is 1, exactly.
func (t *truncated) tails(o interval.Interval) (p, q interval.Interval) {
	w := t.w
	first, last := o.LessEqRat(t.least), o.LessRat(t.most)
	o = interval.Min(interval.Max(o, w.Rat(t.least)), t.radius)
	p, q = one, zero
	if last != interval.False {
		p = unitPart(w.Div(w.Sub(t.cdf(o), t.low), t.norm))
	}
	if first != interval.True {
		q = unitPart(w.Div(w.Sub(t.cdf(w.Sub(o, t.shift)), t.low), t.norm))
	}
	return p, q
}

// truncatedTails: where nothing exceeds ε, o* = −∞, and where everything does, o* = +∞.
func truncatedTails(x pair.Truncated) Tails {
	middle := new(big.Rat).Mul(x.Sensitivity, big.NewRat(1, 2))
	var latest atomic.Pointer[truncated] // that of the precision that was asked for last
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		if x.Disjoint() {
			return one, zero
		}
		t := latest.Load()
		if t == nil || t.w != w {
			t = newTruncated(w, x)
			latest.Store(t)
		}
		return bySide(w, eps, t.edge,
			func() (p, q interval.Interval) { return t.tails(t.radius) },
			func(e interval.Interval) (p, q interval.Interval) { return t.tails(t.crossing(middle, e)) },
			func() (p, q interval.Interval) { return t.tails(t.radius.Neg()) })
	}
}
