// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// truncated is noise conditioned on [−r, r] against the same shifted by s: with the distribution
// function C of the untruncated noise, L > ε exactly on x < o, where o is the
// crossing o* of the untruncated loss brought into [s − r, r] (what lies left of
// s − r has no mass under Q, what lies right of r none under P), so that
//
//	P(L > ε) = (C(o) − C(−r))/(C(r) − C(−r)),  Q(L > ε) = (C(o−s) − C(−r))/(C(r) − C(−r)).
//
// For s ≥ 2r the supports are disjoint, and the tails are 1 and 0.
type truncated struct {
	w    interval.Prec
	s, r *big.Rat
	cdf  func(x interval.Interval) interval.Interval
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

// overlap reports whether the shifted supports meet in more than a point.
func overlap(s, r *big.Rat) bool { return s.Cmp(new(big.Rat).Add(r, r)) < 0 }

// truncatedGaussianTails: the loss s(s − 2x)/2σ² crosses ε at o* = s/2 − σ²ε/s.
func truncatedGaussianTails(x pair.TruncatedGaussian) Tails {
	slope := new(big.Rat).Mul(x.Sigma, x.Sigma)
	slope.Quo(slope, x.Sensitivity)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		if !overlap(x.Sensitivity, x.Radius) {
			return one, zero
		}
		o := w.Sub(w.Scale(w.Rat(x.Sensitivity), -1), w.Mul(w.Rat(slope), eps.Interval))
		return truncated{w, x.Sensitivity, x.Radius, func(t interval.Interval) interval.Interval {
			return fixed.NormalCDF(w, w.Div(t, w.Rat(x.Sigma)))
		}}.tails(o)
	}
}

// truncatedLaplaceTails: the loss (|x − s| − |x|)/b is s/b on x ≤ 0, −s/b on x ≥ s and
// crosses ε between at o* = (s − bε)/2. For ε ≥ s/b nothing exceeds it (o* = −∞), for
// ε < −s/b everything does (o* = +∞).
func truncatedLaplaceTails(x pair.TruncatedLaplace) Tails {
	edge := new(big.Rat).Quo(x.Sensitivity, x.Scale)
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		if !overlap(x.Sensitivity, x.Radius) {
			return one, zero
		}
		t := truncated{w, x.Sensitivity, x.Radius, func(t interval.Interval) interval.Interval {
			return laplaceCDF(w, w.Div(t, w.Rat(x.Scale)))
		}}
		return bySide(w, eps, edge,
			func() (p, q interval.Interval) { return t.tails(w.Rat(x.Radius)) },
			func(e interval.Interval) (p, q interval.Interval) {
				return t.tails(w.Scale(w.Sub(w.Rat(x.Sensitivity), w.Mul(w.Rat(x.Scale), e)), -1))
			},
			func() (p, q interval.Interval) { return t.tails(w.Rat(x.Radius).Neg()) })
	}
}
