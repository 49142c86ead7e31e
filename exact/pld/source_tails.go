// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A tailSource is a pair with the upper tails of its loss in closed form.
type tailSource struct {
	oriented
	tails closed.Tails
}

func (s *tailSource) extent(bits int) extent {
	w := interval.Prec(bits + 32)
	var e extent
	cut := w.Scale(interval.Int(1), -bits)
	infinite, _ := s.tails(w, closed.RatArg(w, interval.Pow2(maxExtent+1)))
	_, finite := s.tails(w, closed.RatArg(w, new(big.Rat).Neg(interval.Pow2(maxExtent+1))))
	above := func(x *big.Rat) bool { // is P(x < L < ∞) > cut?
		p, _ := s.tails(w, closed.RatArg(w, x))
		return w.Sub(p, infinite).LessEq(cut) != interval.True
	}
	below := func(x *big.Rat) bool { // is Q(−∞ < L ≤ x) > cut?
		_, q := s.tails(w, closed.RatArg(w, x))
		return w.Sub(finite, q).LessEq(cut) != interval.True
	}
	e.hi = edge(above, +1)
	if s.hasTop {
		if t := ceilLoss(s.top); t.Cmp(e.hi) < 0 {
			e.hi = t
		}
	}
	e.lo = edge(below, -1)
	if e.lo.Cmp(e.hi) >= 0 {
		e.lo = new(big.Rat).Sub(e.hi, big.NewRat(1, 1<<20))
	}
	s.moments(&e)
	return e
}

// ceilLoss returns a rational a little above a loss.
func ceilLoss(l pair.Loss) *big.Rat {
	if r, ok := l.Rat(); ok {
		return r
	}
	x := l.Enclose(64)
	hi, ok := interval.Prec(64).Add(x, interval.Prec(64).Scale(x.Abs(), -50)).UpperRat()
	if !ok || x.Negative() == interval.True {
		return new(big.Rat)
	}
	return hi
}

// moments integrates the variance of the loss over its extent, at 64 bits on a
// coarse grid.
func (s *tailSource) moments(e *extent) {
	const p, n = interval.Prec(64), 512
	width := new(big.Rat).Sub(e.hi, e.lo)
	width.Mul(width, big.NewRat(1, n))
	last := [2]interval.Interval{interval.Int(1), interval.Int(1)}
	var m1, m2 [2]interval.Interval
	for i := int64(1); i <= n; i++ {
		x := new(big.Rat).Add(e.lo, new(big.Rat).Mul(width, new(big.Rat).SetInt64(i)))
		var tail [2]interval.Interval
		if i < n {
			tail[0], tail[1] = s.tails(p, closed.RatArg(p, x))
		}
		mid := p.Rat(new(big.Rat).Sub(x, new(big.Rat).Mul(width, big.NewRat(1, 2))))
		for k := range tail {
			a := p.Mid(p.Sub(last[k], tail[k]))
			last[k] = p.Mid(tail[k])
			m1[k] = p.Mid(p.Add(m1[k], p.Mul(a, mid)))
			m2[k] = p.Mid(p.Add(m2[k], p.Mul(a, p.Sqr(mid))))
		}
	}
	for k := range m1 {
		e.variance = interval.Max(e.variance, p.Mid(p.Sub(m2[k], p.Sqr(m1[k]))))
	}
}

func (s *tailSource) cut(ctx context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	return s.onMesh(m, w, set, func() (*leaf, error) { return s.cells(ctx, m, set.Points, w) })
}

// initialCells is the number of cells that cuts start from.
const initialCells = 64

// cells cuts the pair at the points of a mesh, at precision w.
//
// A cell of mass m and width h contributes about m·h² to the error of both bounds, so
// cells are halved while m·h² > Δ²/n for about n cells, down to the spacing: the tails
// of a loss do not need what its bulk does. m is the larger of the P- and the Q-mass,
// for the sake of the reversed pair.
func (s *tailSource) cells(ctx context.Context, m mesh, n int, w interval.Prec) (*leaf, error) {
	l := &leaf{mesh: m}
	type point struct {
		i    int64
		p, q interval.Interval
	}
	eval := func(is []int64) ([]point, error) {
		out := make([]point, len(is))
		const chunk = 16
		err := convolve.Parallel(ctx, (len(is)+chunk-1)/chunk, func(c int) {
			for j := c * chunk; j < min((c+1)*chunk, len(is)); j++ {
				p, q := s.tails(w, closed.RatArg(w, m.at(is[j])))
				out[j] = point{is[j], p, q}
			}
		})
		return out, err
	}
	var is []int64
	for i := m.lo; i < m.hi; i += max((m.hi-m.lo)/initialCells, 1) {
		is = append(is, i)
	}
	points, err := eval(append(is, m.hi))
	if err != nil {
		return nil, err
	}
	for {
		var mids []int64
		for j := 1; j < len(points); j++ {
			a, b := points[j-1], points[j]
			if h := b.i - a.i; h > 1 && coarse(interval.Max(mass(w, a.p, b.p), mass(w, a.q, b.q)), h, n) {
				mids = append(mids, a.i+h/2)
			}
		}
		if len(mids) == 0 {
			break
		}
		more, err := eval(mids)
		if err != nil {
			return nil, err
		}
		points = append(points, more...)
		slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.i, b.i) })
	}
	for j := 1; j < len(points); j++ {
		a, b := points[j-1], points[j]
		l.cells = append(l.cells, cell{a.i, b.i, mass(w, a.p, b.p), mass(w, a.q, b.q)})
	}
	first, last := points[0], points[len(points)-1]
	one := interval.Int(1)
	l.below = cell{p: mass(w, one, first.p), q: mass(w, one, first.q)}
	l.above = cell{p: last.p, q: last.q}
	if s.hasTop && s.top.Cmp(m.at(m.hi)) <= 0 {
		// No finite loss is above x_hi.
		l.inf, l.above = last.p, cell{}
	}
	return l, nil
}
