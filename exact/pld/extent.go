// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// An extent is a range of losses outside of which a source has next to no mass, and
// the variance of its loss under P or Q, whichever is larger, roughly: numbers that
// steer the choice of grids and bound nothing.
type extent struct {
	lo, hi   *big.Rat
	variance interval.Interval
}

// maxExtent is log2 of the largest losses that extents tell from ±∞.
const maxExtent = profile.MaxEdge

// edge is profile.Edge to about 3 %.
func edge(far func(*big.Rat) bool, sign int64) *big.Rat { return profile.Edge(far, sign, 4) }

// ceilRat returns a rational ≥ x for a finite x of either sign.
func ceilRat(x interval.Interval) *big.Rat {
	if _, hi, ok := x.Rationals(); ok {
		return hi
	}
	return new(big.Rat)
}

// discreteExtent covers all outcomes of finite loss, by enclosures in float64 where these are finite.
func discreteExtent(os []pair.Outcome) extent {
	const p = interval.Prec(64)
	e := extent{lo: new(big.Rat), hi: new(big.Rat)}
	var span double.Interval
	var m1, m2 [2]double.Interval
	found := false
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue
		}
		ws := [2]double.Interval{double.Of(o.P), double.Of(o.Q)}
		l := ws[0].Div(ws[1]).Log()
		if !l.IsFinite() {
			l = double.Of(o.EncloseLoss(p))
		}
		if !found {
			span, found = l, true
		}
		span = double.Union(span, l)
		for k, w := range ws {
			m1[k] = m1[k].Add(w.Mul(l))
			m2[k] = m2[k].Add(w.Mul(l.Sqr()))
		}
	}
	if found && span.IsFinite() {
		e.hi, e.lo = ceilRat(span.Exact()), new(big.Rat).Neg(ceilRat(span.Exact().Neg()))
	}
	for k := range m1 {
		if v := m2[k].Sub(m1[k].Sqr()); v.IsFinite() {
			e.variance = interval.Max(e.variance, p.Mid(v.Exact()))
		}
	}
	return e
}
