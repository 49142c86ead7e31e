// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// maxSplits bounds the points that supremum adds.
const maxSplits = 400

// supremum encloses the supremum of a concave function over [x₀, x_n], for rising
// points x_i, at least two, to about 2^−p absolutely.
//
// A concave function lies above its chords between their ends and below their
// extensions beyond them, so that on [x_i, x_{i+1}] it is at most the line through the
// points i−1 and i, and the one through the points i+1 and i+2. The segment with
// the greatest bound is split where the two lines meet, which is at the kink if there
// is one kink in it, until the greatest bound is near the greatest value.
func supremum(ctx context.Context, p interval.Prec, xs []*big.Rat, g func(x *big.Rat) (interval.Interval, error)) (interval.Interval, error) {
	return supremumBy(ctx, p, maxSplits, xs, g)
}

// supremumBy is supremum with at most so many points more.
func supremumBy(ctx context.Context, p interval.Prec, splits int, xs []*big.Rat, g func(x *big.Rat) (interval.Interval, error)) (interval.Interval, error) {
	s := concave{w: p + 32}
	for _, x := range xs {
		y, err := g(x)
		if err != nil {
			return interval.Entire(), err
		}
		s.insert(len(s.xs), x, y)
	}
	for n := 0; ; n++ {
		best := s.values[0]
		for _, y := range s.values[1:] {
			best = interval.Max(best, y)
		}
		top, at := best, -1
		for i := 0; i+1 < len(s.xs); i++ {
			if b := s.bound(i); at < 0 || b.Hi().Cmp(top.Hi()) > 0 {
				top, at = b, i
			}
		}
		y := interval.Bounds(best.Lo(), interval.Max(best, top).Hi())
		gap := s.w.Sub(y.Upper(), best.Upper())
		if n == splits || gap.LessEq(s.w.Scale(interval.Int(1), -int(p))) == interval.True {
			return p.Round(y), nil
		}
		m := s.split(at)
		if m == nil {
			return p.Round(y), nil
		}
		v, err := g(m)
		if err != nil {
			return y, err
		}
		s.insert(at+1, m, v)
	}
}

// concave holds points of a concave function.
type concave struct {
	w      interval.Prec
	xs     []*big.Rat
	values []interval.Interval
}

func (s *concave) insert(i int, x *big.Rat, y interval.Interval) {
	s.xs = append(s.xs, nil)
	s.values = append(s.values, interval.Interval{})
	copy(s.xs[i+1:], s.xs[i:])
	copy(s.values[i+1:], s.values[i:])
	s.xs[i], s.values[i] = x, y
}

// slope encloses the slope of the chord from point i to the next.
func (s *concave) slope(i int) interval.Interval {
	return s.w.Div(s.w.Sub(s.values[i+1], s.values[i]), s.w.Rat(new(big.Rat).Sub(s.xs[i+1], s.xs[i])))
}

// bound bounds the function on [x_i, x_{i+1}] from above.
func (s *concave) bound(i int) interval.Interval {
	w := s.w
	width := w.Rat(new(big.Rat).Sub(s.xs[i+1], s.xs[i]))
	y := interval.Entire()
	if i > 0 {
		end := w.Add(s.values[i], w.Mul(s.slope(i-1), width))
		y = interval.Min(y, interval.Max(s.values[i], end))
	}
	if i+2 < len(s.xs) {
		end := w.Sub(s.values[i+1], w.Mul(s.slope(i+1), width))
		y = interval.Min(y, interval.Max(s.values[i+1], end))
	}
	return y
}

// split returns a point inside of [x_i, x_{i+1}], nil if there is none left. It may
// be any: near where the lines meet, and not too near the ends unless that is the
// kink itself.
func (s *concave) split(i int) *big.Rat {
	a, b := s.xs[i], s.xs[i+1]
	width := new(big.Rat).Sub(b, a)
	at := new(big.Rat).Add(a, new(big.Rat).Mul(width, big.NewRat(1, 2)))
	if i > 0 && i+2 < len(s.xs) {
		// v_i + l·t = v_{i+1} − r·(width − t)
		w := s.w
		l, r := s.slope(i-1), s.slope(i+1)
		t := w.Div(w.Sub(w.Sub(s.values[i+1], s.values[i]), w.Mul(r, w.Rat(width))), w.Sub(l, r))
		if lo, _, ok := w.Mid(t).Rationals(); ok && lo.Sign() > 0 && lo.Cmp(width) < 0 {
			at.Add(a, lo)
		}
	}
	at = roundTo(at, width, uint(s.w))
	if at.Cmp(a) <= 0 || at.Cmp(b) >= 0 {
		at.Add(a, b).Mul(at, big.NewRat(1, 2))
		if uint(at.Denom().BitLen()) > 8*uint(s.w)+1024 {
			return nil
		}
	}
	return at
}

// roundTo rounds x to a multiple of a power of two below 2^−bits·scale.
func roundTo(x, scale *big.Rat, bits uint) *big.Rat {
	n := int(bits) + scale.Denom().BitLen() - scale.Num().BitLen() + 1
	if n < 0 {
		n = 0
	}
	k := new(big.Int).Lsh(x.Num(), uint(n))
	k.Quo(k, x.Denom())
	return new(big.Rat).SetFrac(k, new(big.Int).Lsh(big.NewInt(1), uint(n)))
}
