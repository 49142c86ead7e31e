// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
)

// The search for the best order goes over t = 2^k at first.
const (
	leastPower    = -48
	greatestPower = 48
)

// infimum encloses inf N(t)/t over all real t > 0 for a convex N, given by enclosures,
// and returns a t that comes near it, nil if N is nowhere known to be finite.
//
// N(t)/t is quasiconvex, as {N(t) ≤ ct} is an interval for each c. So for a < b < c with
// N(b)/b below both other values, the infimum is attained between a and c. There, and
// beyond the last or before the first t that was tried where b is one of them, N lies
// above the extensions of its chords: on [b, c] above the line through a and b, on [a, b]
// above that through b and c. On a line A + Bt the quotient A/t + B is monotone, so its
// values at the ends bound it. The values that were found bound the infimum from above.
//
// The gap between the two is of second order in c − a, after so many rounds that halve the bracket.
func infimum(p interval.Prec, rounds int, n func(t *big.Rat) interval.Interval) (interval.Interval, *big.Rat) {
	s := infimumSearch{w: p + 32, n: n}
	best := -1
	for k := leastPower; k <= greatestPower; k += 2 {
		t := big.NewRat(1, 1)
		if k >= 0 {
			t.SetInt(new(big.Int).Lsh(t.Num(), uint(k)))
		} else {
			t.SetFrac(t.Num(), new(big.Int).Lsh(t.Num(), uint(-k)))
		}
		x := s.sample(t)
		if x.n.IsFinite() && x.n.RelativeBits(int(p)) >= int(p)/4 {
			s.list = append(s.list, x)
		} else if len(s.list) > 0 {
			break // infinite from here on, or too wide to be of use
		}
	}
	if len(s.list) == 0 {
		return posInf, nil
	}
	best = s.best()
	// Narrow the bracket [a, c] around b by new points in its halves.
	for range rounds {
		i := best
		if i == 0 || i == len(s.list)-1 {
			break
		}
		a, b, c := s.list[i-1], s.list[i], s.list[i+1]
		wide := s.list
		s.list = []sample{a, s.sample(renyi.Middle(a.t, b.t)), b, s.sample(renyi.Middle(b.t, c.t)), c}
		k := s.best()
		if k == 0 || k == 4 || s.list[k].value.Less(s.list[k-1].value) != interval.True ||
			s.list[k].value.Less(s.list[k+1].value) != interval.True {
			s.list = wide // the values cannot be told apart any more
			break
		}
		s.list, best = s.list[k-1:k+2], 1
	}
	lo := s.lower(best)
	hi := s.list[best].value
	return p.Round(interval.Bounds(interval.Min(lo, hi).Lo(), hi.Hi())), s.list[best].t
}

type infimumSearch struct {
	w    interval.Prec
	n    func(t *big.Rat) interval.Interval
	list []sample
}

// A sample is N(t) and N(t)/t.
type sample struct {
	t        *big.Rat
	n, value interval.Interval
}

func (s *infimumSearch) sample(t *big.Rat) sample {
	y := s.n(t)
	return sample{t, y, s.w.Div(y, s.w.Rat(t))}
}

// best returns the index of the least value by its upper end.
func (s *infimumSearch) best() int {
	best := 0
	for i := range s.list {
		if s.list[i].value.Hi().Cmp(s.list[best].value.Hi()) < 0 {
			best = i
		}
	}
	return best
}

// lower bounds the infimum from below. With c = N(b)/b the least value, N − ct is convex and
// 0 at b, and where it is ≥ 0 at a neighbour, it is so beyond that. So only the two
// segments at b are to be bounded, and what lies beyond a neighbour that is missing or whose
// value is not above that at b for certain.
func (s *infimumSearch) lower(b int) interval.Interval {
	if len(s.list) < 3 {
		return interval.Entire()
	}
	low := s.list[b].value
	include := func(y interval.Interval) { low = interval.Min(low, y) }
	last := len(s.list) - 1
	if b < last { // [b, right], by the line on the left of it or on the right
		if b > 0 {
			include(s.onLine(s.list[b-1], s.list[b], s.list[b], s.list[b+1].t))
		} else {
			include(s.onLine(s.list[1], s.list[2], s.list[1], s.list[0].t))
		}
		if s.list[b].value.LessEq(s.list[b+1].value) != interval.True {
			include(s.beyond(b+1, b))
		}
	} else {
		include(s.beyond(b, b-1))
	}
	if b > 0 { // [left, b]
		if b < last {
			include(s.onLine(s.list[b], s.list[b+1], s.list[b], s.list[b-1].t))
		} else {
			include(s.onLine(s.list[b-2], s.list[b-1], s.list[b-1], s.list[b].t))
		}
		if s.list[b].value.LessEq(s.list[b-1].value) != interval.True {
			include(s.beyond(b-1, b))
		}
	} else {
		include(s.beyond(b, b+1))
	}
	return low
}

// beyond bounds the quotient on the far side of list[k], seen from its neighbour list[b].
func (s *infimumSearch) beyond(k, b int) interval.Interval {
	if k > b {
		return s.onLine(s.list[b], s.list[k], s.list[k], nil)
	}
	return s.onLine(s.list[k], s.list[b], s.list[k], new(big.Rat))
}

// onLine bounds A/t + B from below for t between from.t and to, where A + Bt is the line
// through x and y; to may be 0, or nil for ∞.
func (s *infimumSearch) onLine(x, y, from sample, to *big.Rat) interval.Interval {
	w := s.w
	slope := w.Div(w.Sub(y.n, x.n), w.Rat(new(big.Rat).Sub(y.t, x.t)))
	offset := w.Sub(x.n, w.Mul(slope, w.Rat(x.t)))
	at := func(t *big.Rat) interval.Interval { return w.Add(w.Div(offset, w.Rat(t)), slope) }
	low := at(from.t)
	switch {
	case to == nil:
		return interval.Min(low, slope)
	case to.Sign() > 0:
		return interval.Min(low, at(to))
	case offset.Negative() == interval.False:
		return low // falls in t, and t ≤ from.t
	}
	return interval.Entire()
}
