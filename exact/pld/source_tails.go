// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A tailSource is a pair with the upper tails of its loss in closed form.
type tailSource struct {
	oriented
	tails closed.Tails
	words closed.WordTails // nil if there are none
}

func newTails(o oriented, tails closed.Tails) *tailSource {
	words, _ := closed.PairWordTails(o.pair)
	return &tailSource{o, tails, words}
}

func (s *tailSource) extent(_ context.Context, bits int) extent {
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
//
// Masses are in words up to the precision of words.
func (s *tailSource) cells(ctx context.Context, m mesh, n int, w interval.Prec) (*leaf, error) {
	l := &leaf{mesh: m}
	var first, last [2]interval.Interval // tails at the two ends
	if m.inWords(w) {
		points, err := s.wordPoints(ctx, m, n, w)
		if err != nil {
			return nil, err
		}
		l.words = make([]wordCell, len(points)-1)
		for j := range l.words {
			a, b := &points[j], &points[j+1]
			l.words[j] = wordCell{a.i, b.i, three.Sub(a.tail.p, b.tail.p), three.Sub(a.tail.q, b.tail.q)}
		}
		a, b := points[0].tail, points[len(points)-1].tail
		first, last = [2]interval.Interval{a.p.Interval(), a.q.Interval()},
			[2]interval.Interval{b.p.Interval(), b.q.Interval()}
	} else {
		points, err := s.points(ctx, m, n, w)
		if err != nil {
			return nil, err
		}
		for j := 1; j < len(points); j++ {
			a, b := points[j-1], points[j]
			l.cells = append(l.cells, cell{a.i, b.i, mass(w, a.tail[0], b.tail[0]), mass(w, a.tail[1], b.tail[1])})
		}
		first, last = points[0].tail, points[len(points)-1].tail
	}
	one := interval.Int(1)
	l.below = cell{p: mass(w, one, first[0]), q: mass(w, one, first[1])}
	l.above = cell{p: last[0], q: last[1]}
	if s.hasTop && s.top.Cmp(m.at(m.hi)) <= 0 {
		// No finite loss is above x_hi.
		l.inf, l.above = last[0], cell{}
	}
	return l, nil
}

// points returns the tails between cells, in intervals.
func (s *tailSource) points(ctx context.Context, m mesh, n int,
	w interval.Prec) ([]point[[2]interval.Interval], error) {
	return halve(ctx, m, func(i int64) [2]interval.Interval {
		p, q := s.tails(w, closed.RatArg(w, m.at(i)))
		return [2]interval.Interval{p, q}
	}, func(a, b [2]interval.Interval, h int64) bool {
		return coarse(interval.Max(mass(w, a[0], b[0]), mass(w, a[1], b[1])), h, n)
	})
}

// A point is an end of a cell: x_i and the tails there.
type point[T any] struct {
	i    int64
	tail T
}

// halve returns the points between the cells of a mesh: some initialCells, halved as long as they are coarse.
func halve[T any](ctx context.Context, m mesh, eval func(i int64) T, coarse func(a, b T,
	h int64) bool) ([]point[T], error) {
	var points []point[T]
	for i := m.lo; i < m.hi; i += max((m.hi-m.lo)/initialCells, 1) {
		points = append(points, point[T]{i: i})
	}
	points = append(points, point[T]{i: m.hi})
	fresh := make([]int, len(points)) // indices of points to be evaluated
	for k := range fresh {
		fresh[k] = k
	}
	for len(fresh) > 0 {
		const chunk = 16
		if err := convolve.Parallel(ctx, (len(fresh)+chunk-1)/chunk, func(c int) {
			for _, k := range fresh[c*chunk : min((c+1)*chunk, len(fresh))] {
				points[k].tail = eval(points[k].i)
			}
		}); err != nil {
			return nil, err
		}
		var split []int // the cells [j, j + 1] that are
		for j := range len(points) - 1 {
			a, b := &points[j], &points[j+1]
			if h := b.i - a.i; h > 1 && coarse(a.tail, b.tail, h) {
				split = append(split, j)
			}
		}
		finer := make([]point[T], 0, len(points)+len(split))
		fresh = fresh[:0]
		from := 0
		for _, j := range split {
			finer = append(finer, points[from:j+1]...)
			fresh = append(fresh, len(finer))
			finer = append(finer, point[T]{i: points[j].i + (points[j+1].i-points[j].i)/2})
			from = j + 1
		}
		points = append(finer, points[from:]...)
	}
	return points, nil
}

// wordTail is the pair of tails at a point.
type wordTail struct{ p, q fixed.Real }

// wordPoints returns the tails between cells, in words.
func (s *tailSource) wordPoints(ctx context.Context, m mesh, n int, w interval.Prec) ([]point[wordTail], error) {
	d, good := three.Rat(m.delta), uint(min(w, tailPrec))
	limit := three.Inv(fixed.Int(int64(n)))
	return halve(ctx, m, func(i int64) wordTail {
		if s.words != nil {
			if p, q := s.words(three.Times(d, i)); p.Good(good) && q.Good(good) {
				return wordTail{p, q}
			}
		}
		p, q := s.tails(w, closed.RatArg(w, m.at(i)))
		return wordTail{fixed.FromInterval(p), fixed.FromInterval(q)}
	}, func(a, b wordTail, h int64) bool {
		square := fixed.Int(h * h)
		over := func(m fixed.Real) bool { return three.Sub(limit, three.Mul(m, square)).Negative() != interval.False }
		return over(three.Sub(a.p, b.p)) || over(three.Sub(a.q, b.q))
	})
}
