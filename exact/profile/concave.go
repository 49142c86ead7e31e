// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
)

// supremum encloses the supremum of a concave function over [x₀, x_n], for rising
// points x_i, at least two, to about 2^−p absolutely, and no better than 2^−bits relatively.
//
// A concave function lies above its chords between their ends and below their
// extensions beyond them, so that on [x_i, x_{i+1}] it is at most the line through the
// points i−1 and i, and the one through the points i+1 and i+2. Points are added where the greatest
// value is likely to be, until the greatest bound is near the greatest value, or to about so many splits.
//
// Where the function is smooth, the vertex of the parabola through the greatest value and its two
// neighbours is nearer to the maximum than they are by an order, and three points there leave a gap of the square of
// their distance. Where that does not close three quarters of the gap, as at a kink, the segment with the greatest
// bound is split where its two lines meet, which is at the kink if there is one kink in it.
func supremum(p interval.Prec, bits, splits int, s *concave) (interval.Interval, error) {
	last, stalled := interval.PosInf(), 0 // the gap before the round
	pause := 0                            // rounds without a parabola
	for n := 0; ; {
		best, most := 0, s.values[0] // a point with about the greatest value
		for i, y := range s.values {
			most = interval.Max(most, y)
			if s.greater(i, best) {
				best = i
			}
		}
		top, at := s.bounds[0], 0 // the greatest bound of a segment
		for i, b := range s.bounds {
			if b.Hi().Cmp(top.Hi()) > 0 {
				top, at = b, i
			}
		}
		y := interval.Bounds(most.Lo(), interval.Max(most, top).Hi())
		gap := s.w.Sub(y.Upper(), most.Upper())
		enough := interval.Max(s.w.Scale(interval.Int(1), -int(p)), s.w.Scale(most.Lower().Abs(), -bits))
		if n >= splits || gap.LessEq(enough) == interval.True {
			return p.Round(y), nil
		}
		if s.w.Scale(gap, 1).LessEq(last) == interval.True {
			stalled = 0
		} else if stalled++; stalled > maxStalled && gap.LessEq(s.w.Sub(most.Upper(), most.Lower())) == interval.True {
			return p.Round(y), nil // less than what the values themselves leave open
		}
		if pause > 0 {
			pause--
		} else if s.w.Scale(gap, 2).LessEq(last) != interval.True {
			pause = maxPause
		}
		last = gap
		var points []*big.Rat
		if pause == 0 {
			points = s.nearVertex(best, enough)
		}
		if len(points) == 0 {
			m := s.split(at)
			if m == nil {
				return p.Round(y), nil
			}
			points = []*big.Rat{m}
		}
		for _, x := range points {
			if err := s.add(x); err != nil {
				return y, err
			}
			n++
		}
	}
}

// maxPause is for how many rounds segments are split after a parabola was no good.
const maxPause = 6

// maxStalled bounds the rounds in a row that do not halve the gap, once it is below what the values leave open.
const maxStalled = 6

// concave holds points of a concave function g.
type concave struct {
	w      interval.Prec
	g      func(x *big.Rat) (interval.Interval, error)
	xs     []*big.Rat
	values []interval.Interval
	bounds []interval.Interval // of the segments
	// above, if set, bounds the function between two points from above.
	above func(lo, hi *big.Rat) interval.Interval
}

// add computes the value at x, if it is not known.
func (s *concave) add(x *big.Rat) error {
	i, known := slices.BinarySearchFunc(s.xs, x, (*big.Rat).Cmp)
	if known {
		return nil
	}
	y, err := s.g(x)
	if err == nil {
		s.insert(i, x, y)
	}
	return err
}

// insert makes (x, y) point i.
func (s *concave) insert(i int, x *big.Rat, y interval.Interval) {
	s.xs, s.values = slices.Insert(s.xs, i, x), slices.Insert(s.values, i, y)
	if len(s.xs) < 2 {
		return
	}
	s.bounds = slices.Insert(s.bounds, min(i, len(s.bounds)), interval.Interval{})
	for j := max(0, i-2); j < min(len(s.bounds), i+2); j++ {
		s.bounds[j] = s.bound(j)
	}
}

// surround adds powers of two, with exponents from least to most, until the greatest value lies between two of them
// whose exponents differ by 2: from 1 on in steps that double, and then half way between exponents.
func (s *concave) surround(least, most int) error {
	point := func(k int) int { // its index
		i, _ := slices.BinarySearchFunc(s.xs, interval.Pow2(k), (*big.Rat).Cmp)
		return i
	}
	lo, top, hi := least-1, min(0, most), most+1
	if err := s.add(interval.Pow2(top)); err != nil {
		return err
	}
	// try moves top to k if its value is greater, and else the end on its side.
	try := func(k int) (moved bool, err error) {
		if err := s.add(interval.Pow2(k)); err != nil {
			return false, err
		}
		moved = s.greater(point(k), point(top))
		switch {
		case moved && k < top:
			hi, top = top, k
		case moved:
			lo, top = top, k
		case k < top:
			lo = k
		default:
			hi = k
		}
		return moved, nil
	}
	for _, side := range []int{-1, 1} {
		for step := 1; lo < top+side*step && top+side*step < hi; step *= 2 {
			if moved, err := try(top + side*step); err != nil {
				return err
			} else if !moved {
				break
			}
		}
	}
	for hi-lo > 2 {
		k := lo + (top-lo)/2
		if hi-top > top-lo {
			k = top + (hi-top)/2
		}
		if _, err := try(k); err != nil {
			return err
		}
	}
	return nil
}

// greater reports that the middle of value i is above the one of value j.
func (s *concave) greater(i, j int) bool {
	return s.w.Mid(s.values[j]).Less(s.w.Mid(s.values[i])) == interval.True
}

// nearVertex returns three points about the vertex of the parabola through point i, the greatest, and its neighbours:
// as far apart as its slope is likely to be off, but not so near that the gap were below what is enough. It returns
// none if point i is an end, or no maximum.
func (s *concave) nearVertex(i int, enough interval.Interval) []*big.Rat {
	if i == 0 || i == len(s.xs)-1 {
		return nil
	}
	w := interval.Prec(64)
	a, m, b := s.xs[i-1], s.xs[i], s.xs[i+1]
	l, r := w.Mid(s.slope(i-1)), w.Mid(s.slope(i)).Neg()
	fall := w.Add(l, r)
	// of the way from the middle of [a, m] to the middle of [m, b], where the slope is 0
	share, _, ok := w.Mid(w.Div(l, fall)).Rationals()
	if !ok || share.Sign() < 0 || share.Cmp(big.NewRat(1, 1)) > 0 {
		return nil
	}
	half := new(big.Rat).Sub(b, a)
	half.Mul(half, big.NewRat(1, 2))
	v := new(big.Rat).Add(a, m)
	v.Mul(v, big.NewRat(1, 2)).Add(v, share.Mul(share, half))
	// The slope is off by about the square of the width. What the square of h leaves open is fall/half·h².
	least, _, ok := w.Mid(w.Scale(w.Sqrt(w.Div(w.Mul(w.Mid(enough), w.Rat(half)), fall)), -1)).Rationals()
	if !ok {
		return nil
	}
	h := new(big.Rat).Sub(v, m)
	if h.Abs(h).Cmp(new(big.Rat).Mul(half, big.NewRat(1, 8))) > 0 {
		h.Mul(half, big.NewRat(1, 8))
	}
	if h.Cmp(least) < 0 {
		h = least
	}
	const bits = 6
	v, h = roundTo(v, h, bits), roundTo(h, h, bits)
	if h.Sign() <= 0 {
		return nil
	}
	var points []*big.Rat
	for _, x := range []*big.Rat{new(big.Rat).Sub(v, h), v, new(big.Rat).Add(v, h)} {
		if x.Cmp(a) > 0 && x.Cmp(b) < 0 && x.Cmp(m) != 0 {
			points = append(points, x)
		}
	}
	return points
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
	if s.above != nil {
		y = s.above(s.xs[i], s.xs[i+1])
	}
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
