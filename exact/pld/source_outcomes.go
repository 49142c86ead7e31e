// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

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

// discreteExtent covers all outcomes of finite loss.
func discreteExtent(os []pair.Outcome) extent {
	var e extent
	const p = interval.Prec(64)
	var m1, m2 [2]interval.Interval
	for _, o := range os {
		if o.P.IsZero() || o.Q.IsZero() {
			continue
		}
		l := outcomeLoss(p, o)
		hi, lo := ceilRat(l), new(big.Rat).Neg(ceilRat(l.Neg()))
		if e.hi == nil || hi.Cmp(e.hi) > 0 {
			e.hi = hi
		}
		if e.lo == nil || lo.Cmp(e.lo) < 0 {
			e.lo = lo
		}
		for k, a := range []interval.Interval{o.P, o.Q} {
			m1[k] = p.Mid(p.Add(m1[k], p.Mul(a, l)))
			m2[k] = p.Mid(p.Add(m2[k], p.Mul(a, p.Sqr(l))))
		}
	}
	if e.hi == nil {
		e.lo, e.hi = new(big.Rat), new(big.Rat)
	}
	for k := range m1 {
		e.variance = interval.Max(e.variance, p.Mid(p.Sub(m2[k], p.Sqr(m1[k]))))
	}
	return e
}

func outcomeLoss(p interval.Prec, o pair.Outcome) interval.Interval {
	if o.Exact {
		return o.Loss.Enclose(p)
	}
	return p.Log(p.Div(o.P, o.Q))
}
