// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// An outcomeSource is a pair of at most maxOutcomes outcomes.
type outcomeSource struct{ oriented }

// maxOutcomes bounds the outcomes of a discrete pair on a grid.
const maxOutcomes = 1 << 16

func (s *outcomeSource) extent(bits int) extent {
	os, _, _ := s.pair.Outcomes(interval.Prec(bits+32), maxOutcomes)
	return discreteExtent(os)
}

func (s *outcomeSource) cut(_ context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	return s.onMesh(m, w, set, func() (*leaf, error) {
		l := &leaf{mesh: m}
		os, _, _ := s.pair.Outcomes(w, maxOutcomes)
		l.addOutcomes(os, w)
		return l, nil
	})
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
