// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crossing

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// A search is a problem and what is known of its crossing.
type search struct {
	Problem

	lo, hi   *big.Rat // f(lo) > level and f(hi) ≤ level for certain; nil: none found
	flo, fhi interval.Interval
	recent   []sample // the last points, newest first, at most three

	from, to *big.Rat // numbers between them are alike; nil: none are known
}

// A sample is a point and about log(f(x)/level).
type sample struct {
	x *big.Rat
	g interval.Interval
}

// bracketed reports that points on both sides are known.
func (s *search) bracketed() bool { return s.lo != nil && s.hi != nil }

// at evaluates f at x, first with w bits and then with all, and moves lo or hi there if that is
// certain.
func (s *search) at(ctx context.Context, w interval.Prec, x *big.Rat) (side, interval.Interval, error) {
	return s.far(ctx, w, s.Full, x)
}

// far is look at a point that may be far from the crossing, where Above may do.
func (s *search) far(ctx context.Context, w, most interval.Prec, x *big.Rat) (side, interval.Interval, error) {
	if s.Above != nil && s.hi == nil {
		if y := s.Above(x); y.LessEqRat(s.Level) == interval.True {
			s.hi, s.fhi = x, interval.Union(interval.Int(0), y)
			return right, s.fhi, nil
		}
	}
	return s.look(ctx, w, most, x)
}

// look is at with no more bits than most.
func (s *search) look(ctx context.Context, w, most interval.Prec, x *big.Rat) (side, interval.Interval, error) {
	at, y, asked := open, interval.Entire(), interval.Prec(0)
	for _, w := range append(s.tries(w), most) {
		if w = min(w, most); at != open || w <= asked {
			continue
		}
		var err error
		if at, y, err = s.compare(ctx, w, x); err != nil {
			return open, y, err
		}
		asked = w
	}
	s.remember(asked, x, y)
	switch at {
	case left:
		if s.lo == nil || x.Cmp(s.lo) > 0 {
			s.lo, s.flo = x, y
		}
	case right:
		if s.hi == nil || x.Cmp(s.hi) < 0 {
			s.hi, s.fhi = x, y
		}
	}
	return at, y, nil
}

// tries are the precisions to try, of which w should do, before all bits. Where numbers are alike, fewer may do.
func (s *search) tries(w interval.Prec) []interval.Prec {
	switch {
	case s.Near == nil:
		return []interval.Prec{w}
	case s.from != nil:
		return []interval.Prec{s.few(), w, w + 16}
	}
	return []interval.Prec{w, w + 16}
}

// few is Coarse less what most numbers are from those that are not alike.
func (s *search) few() interval.Prec {
	const alike = 10
	return min(max(s.Coarse(), interval.MinPrec+alike)-alike, s.Full)
}

// remember keeps a point for interpolation, where f was asked for so many bits.
func (s *search) remember(asked interval.Prec, x *big.Rat, y interval.Interval) {
	w := min(interval.Prec(s.Bits), asked) + 64
	d, m := w.Rat(s.Level), w.Mid(y)
	if d.Positive() != interval.True || m.Positive() != interval.True {
		return
	}
	g := w.Mid(logNear(w, w.Div(w.Sub(m, d), d)))
	if !g.IsFinite() {
		return
	}
	s.recent = append([]sample{{x, g}}, s.recent[:min(len(s.recent), 2)]...)
}

// logNear is about log(1 + r): next to the crossing by the first terms of its series, which leave out less than is
// rounded.
func logNear(w interval.Prec, r interval.Interval) interval.Interval {
	if a := r.Abs().Hi(); a.Sign() == 0 || !r.IsFinite() || a.MantExp(nil) > -int(w)/4 {
		return w.Log1p(r)
	}
	square := w.Sqr(r)
	y := w.Sub(r, w.Scale(square, -1))
	return w.Add(y, w.Div(w.Mul(square, r), interval.Int(3)))
}

// gap is hi − lo.
func (s *search) gap() *big.Rat { return new(big.Rat).Sub(s.hi, s.lo) }

// tolerance is 2^−bits·max(|hi|, 2^−bits), or of lo where there is no hi.
func (s *search) tolerance() *big.Rat {
	at := s.hi
	if at == nil {
		at = s.lo
	}
	m := new(big.Rat).Abs(at)
	if floor := interval.Pow2(-s.Bits); m.Cmp(floor) < 0 {
		m = floor
	}
	return m.Mul(m, interval.Pow2(-s.Bits))
}

// alike has from and to be what Alike says of a number near the crossing.
func (s *search) alike(x *big.Rat) {
	if s.Alike != nil {
		s.from, s.to = s.Alike(x)
	}
}

// inside is most of the distance between two points, or another one if that is more.
func (s *search) inside(least, x, end *big.Rat) *big.Rat {
	d := new(big.Rat).Sub(end, x)
	if d.Mul(d.Abs(d), big.NewRat(3, 4)); d.Cmp(least) < 0 {
		return least
	}
	return d
}
