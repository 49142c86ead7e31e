// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import "math"

// A border lies between the indices from 0 on that are private enough and the rest.
type border struct {
	size   int64
	start  int64                             // the index that is tried first
	stride int64                             // how far it is to the next; up to 1, steps double, from start on
	seems  func(i int64) (estimate, error)   // an estimate of whether an index is private enough
	decide func(i int64) (*Candidate, error) // the proof
}

// guess returns the last index that seems to be private enough: from start on in steps, back to one that is and
// on to one that is not, then by bisection. ok is false if index 0 is not.
func (b border) guess() (last int64, ok bool, err error) {
	step := max(b.stride, 1)
	if b.stride <= 1 {
		step = max(b.start, 1)
	}
	grow := func() {
		if b.stride <= 1 {
			step *= 2
		}
	}
	lo, hi := min(b.start, b.size-1), b.size // lo is good; hi is not, or is past the end
	var low, high estimate                   // of lo and hi
	for {
		if low, err = b.seems(lo); err != nil || !low.ok && lo == 0 {
			return 0, false, err
		} else if low.ok {
			break
		}
		lo, hi, high = max(lo-step, 0), lo, low
		grow()
	}
	var further estimate // of an index further back than lo
	for back := lo; hi == b.size && lo+step < b.size; {
		by := min(step, beyond(lo-back, further.excess, low.excess))
		next := lo + by
		at, err := b.seems(next)
		if err != nil {
			return 0, false, err
		} else if !at.ok {
			hi, high = next, at
			break
		}
		back, further = lo, low
		lo, low = next, at
		if by == step { // or the end is not as near as steps are long
			grow()
		}
	}
	moved := 0 // which end moved: −1 or 1
	newest, before := point{lo, low.excess}, point{hi, high.excess}
	for n := 1; hi-lo > 1; n++ {
		mid := lo + (hi-lo)/2
		if n%halving > 0 {
			var near bool
			if mid, near = secant(before, newest); !near || mid <= lo-beside || mid >= hi+beside {
				mid = between(lo, hi, low.excess, high.excess)
			}
			mid = min(max(mid, lo+1), hi-1)
		}
		at, err := b.seems(mid)
		if err != nil {
			return 0, false, err
		}
		before, newest = newest, point{mid, at.excess}
		if at.ok {
			if lo, low = mid, at; moved < 0 {
				high.excess /= 2
			}
			moved = -1
		} else {
			if hi, high = mid, at; moved > 0 {
				low.excess /= 2
			}
			moved = 1
		}
	}
	return lo, true, nil
}

// beyond is how far it is from an index to where the excess is above 0, if it goes on as it did over the last step: and
// a little further, as it bends. Where that is not known, there is no limit.
func beyond(step int64, before, now float64) int64 {
	if !(before < now && now < 0) {
		return math.MaxInt64
	}
	const margin = 1.1
	x := margin * float64(step) * now / (before - now)
	return int64(min(max(x, float64(step)/16), 0x1p62)) + 1
}

// scan is guess where the indices that are private enough need not be the first: from the first one on that seems to
// be, of those that after leads to.
func (b border) scan(after func(i int64) int64) (last int64, ok bool, err error) {
	for b.start = 0; b.start < b.size; b.start = after(b.start) {
		at, err := b.seems(b.start)
		switch {
		case err != nil:
			return 0, false, err
		case at.ok:
			return b.guess()
		}
	}
	return 0, false, nil
}

// halving is how many steps there are to one that halves what is left, however wrong the others are.
const halving = 4

// A point is an index with its excess, 0 where that is not known.
type point struct {
	i      int64
	excess float64
}

// beside is how far beyond the ends of a range a secant may point, and stand for the index next to the end.
const beside = 8

// secant is about where the line through two points, over the logarithm of the index, is 0: where these are near to the
// border, it is nearer than what lies between the ends of a range, of which one may be far.
func secant(a, b point) (i int64, ok bool) {
	if a.excess == 0 || b.excess == 0 || a.excess == b.excess {
		return 0, false
	}
	from, to := math.Log(float64(a.i+1)), math.Log(float64(b.i+1))
	at := math.Exp(to-(to-from)*b.excess/(b.excess-a.excess)) - 1
	return int64(math.Round(at)), at > 0 && at < 0x1p62
}

// between is an index between lo and hi, where the excess is about 0, as it is about a line over the logarithm of the
// index: an end that stays counts half as much with each step, as in the Illinois algorithm. Where an excess is not
// known, it is the middle.
func between(lo, hi int64, low, high float64) int64 {
	if !(low < 0 && high > 0) {
		return lo + (hi-lo)/2
	}
	from, to := math.Log(float64(lo+1)), math.Log(float64(hi+1))
	at := math.Exp(from+(to-from)*low/(low-high)) - 1
	return min(max(int64(math.Round(at)), lo+1), hi-1)
}

// certify finds a border between VERIFIED and the rest: in steps that double from index i on, as estimates are right to
// the last digit or next to it, and then by halving. Where there is none, the first index or the last is decided:
// nothing is the best, or nothing is next.
func (b border) certify(i int64) (f Finding, err error) {
	lo, hi := int64(-1), b.size // VERIFIED or before all, and not VERIFIED or past all
	for step := int64(1); hi-lo > 1; {
		c, err := b.decide(i)
		if err != nil {
			return f, err
		}
		if c.verified() {
			f.Best, lo = c, i
		} else {
			f.Next, hi = c, i
		}
		switch {
		case f.Best != nil && f.Next != nil:
			i = lo + (hi-lo)/2
		case f.Best != nil:
			i = min(lo+step, b.size-1)
			step *= 2
		default:
			i = max(hi-step, 0)
			step *= 2
		}
	}
	return f, nil
}
