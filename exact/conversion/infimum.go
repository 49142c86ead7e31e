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
	s.list = powers(s.sample, func(x sample) bool { // others are infinite, or too wide to be of use
		return x.n.IsFinite() && x.n.RelativeBits(int(p)) >= int(p)/4
	})
	if len(s.list) == 0 {
		return posInf, nil
	}
	best := s.narrow(s.best(), rounds, renyi.Middle, s.sample)
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

// powers are samples at powers of 4, from the first that is useful to the last before one that is not.
func powers(at func(t *big.Rat) sample, useful func(sample) bool) (list []sample) {
	for k := leastPower; k <= greatestPower; k += 2 {
		if x := at(interval.Pow2(k)); useful(x) {
			list = append(list, x)
		} else if len(list) > 0 {
			break
		}
	}
	return list
}

// narrow takes new points between the best sample and its neighbours, so often or as long as values can be told apart,
// and returns the best one.
func (s *infimumSearch) narrow(best, rounds int, middle func(a, b *big.Rat) *big.Rat, at func(*big.Rat) sample) int {
	for range rounds {
		if best == 0 || best == len(s.list)-1 {
			break
		}
		a, b, c := s.list[best-1], s.list[best], s.list[best+1]
		wide := s.list
		s.list = []sample{a, at(middle(a.t, b.t)), b, at(middle(b.t, c.t)), c}
		k := s.best()
		if !s.certain(k) {
			s.list = wide
			break
		}
		s.list, best = s.list[k-1:k+2], 1
	}
	return best
}

// certain reports whether a sample is less than both of its neighbours for certain.
func (s *infimumSearch) certain(k int) bool {
	return k > 0 && k < len(s.list)-1 && s.list[k].value.Less(s.list[k-1].value) == interval.True &&
		s.list[k].value.Less(s.list[k+1].value) == interval.True
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
