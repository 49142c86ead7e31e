// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// below is a pair on the grid whose profile g is not above f. It reports false if none was found. Requires f ≥ least,
// f ≥ 1 − α.
//
// Between two points of the grid f is below its chord by at most an excess, which the values beside them bound: f is
// above the extensions of the chords of its neighbours. So g is not above f on [α_k, α_{k+1}] if it is linear there
// and below f at both ends by that much; or at one end not above f, and at the other below f by as much as the
// steepest line through the first end that bounds the excess. Up to a point J g is 1 − α, so that no mass is lost, and
// from a point J′ on it is least; between, at most f − s, where s is enough for the intervals on both sides.
//
// The lower convex hull of these points is such a g. What was computed is checked once more: masses ≥ 0 are those of a
// convex function, which is compared with what it may be at the points.
func (v *values) below(least *big.Rat, cut int) (Table, bool) {
	w := v.w
	from, to, most := v.within(least, cut)
	if from+1 >= to {
		return Table{}, false
	}
	n := v.hi - v.lo + 1
	t := Table{first: v.lo, mass: make([]float64, n), infinite: double.Of(w.Rat(least)).Lo}
	// The hull of (0, 1), the points from … to, and a horizontal line.
	type vertex struct {
		k        int
		alpha, y interval.Interval
	}
	slope := func(a, b vertex) interval.Interval { return w.Div(w.Sub(b.y, a.y), w.Sub(b.alpha, a.alpha)) }
	hull := []vertex{{alpha: interval.Int(0), y: interval.Int(1)}}
	for k := from; k <= to; k++ {
		p := vertex{k, v.alpha(k), most[k-v.lo].Lower()}
		for len(hull) > 1 && slope(hull[len(hull)-2], hull[len(hull)-1]).Less(slope(hull[len(hull)-1], p)) != interval.True {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
	}
	for i := 1; i < len(hull); i++ {
		next := interval.Int(0)
		if i+1 < len(hull) {
			next = slope(hull[i], hull[i+1])
		}
		m := w.Mul(hull[i].alpha, w.Sub(next, slope(hull[i-1], hull[i])))
		t.mass[hull[i].k-v.lo] = max(0, double.Of(w.Round(m)).Lo)
	}
	return t, v.isBelow(t, from, to, most)
}

// alpha is the ratio at point k.
func (v *values) alpha(k int) interval.Interval {
	return v.w.Exp(v.w.Rat(new(big.Rat).Mul(v.delta, big.NewRat(int64(k), 1))))
}

// isBelow reports that the profile of t is at most 1 at 0, at most most[k − lo] at the points from ≤ k < to, and
// constant from the last on.
func (v *values) isBelow(t Table, from, to int, most []interval.Interval) bool {
	w := v.w
	shrink := w.Exp(w.Rat(v.delta).Neg())
	var all, part interval.Interval // Σ of the masses beyond k, and of these times α_k/α_i
	for k := to; k >= from; k-- {
		f := w.Add(w.Sub(all, part), double.Exactly(t.infinite))
		if k < to && f.LessEq(most[k-v.lo].Lower()) != interval.True {
			return false
		}
		m := double.Exactly(t.mass[k-v.lo])
		all, part = w.Add(all, m), w.Mul(shrink, w.Add(part, m))
	}
	for k := v.lo; k < v.lo+len(t.mass); k++ {
		if (k < from || k > to) && t.mass[k-v.lo] != 0 {
			return false
		}
	}
	return w.Add(all, double.Exactly(t.infinite)).LessEq(interval.Int(1)) == interval.True
}

// within returns J, J′ and what g may be at the points between, at J and at J′.
func (v *values) within(least *big.Rat, cut int) (from, to int, most []interval.Interval) {
	w := v.w
	n := v.hi - v.lo + 1
	none := interval.Int(0)
	half := w.Exp(w.Rat(new(big.Rat).Mul(v.delta, big.NewRat(1, 2)))) // √ρ
	fall := func(i int) interval.Interval { return w.Sub(v.h[i-1], v.h[i]) }
	bend := make([]interval.Interval, len(v.h)) // √ρ·d_i − d_{i+1} of the points and those half way
	for i := 1; i+1 < len(v.h); i++ {
		bend[i] = interval.Max(none, w.Sub(w.Mul(half, fall(i)), fall(i+1)).Upper())
	}
	// tent is the greatest x ↦ min(ax, b(1 − x)) and where it is.
	tent := func(a, b interval.Interval) (top, at interval.Interval) {
		sum := w.Add(a, b)
		if sum.IsZero() || sum.Positive() != interval.True {
			return none, none
		}
		at = interval.Clamp(w.Div(b, sum), 0, 1)
		return w.Mul(a, at).Upper(), at
	}
	excess, left, right := make([]interval.Interval, n), make([]interval.Interval, n), make([]interval.Interval, n)
	// Of the intervals from k on.
	for k := 1; k+2 < n; k++ {
		i := 2 * k
		middle := w.Div(bend[i+1], w.Add(half, interval.Int(1)))
		topL, atL := tent(bend[i], w.Div(bend[i+1], half))
		topR, atR := tent(bend[i+1], w.Div(bend[i+2], half))
		e := interval.Max(w.Add(w.Mul(middle, atL), topL), w.Add(w.Mul(middle, w.Sub(interval.Int(1), atR)), topR))
		excess[k] = interval.Max(middle, e).Upper()
		// The middle is 1/(√ρ + 1) of the way.
		left[k] = w.Mul(w.Add(middle, interval.Max(bend[i], topR)), w.Add(half, interval.Int(1))).Upper()
		end := interval.Max(w.Div(bend[i+2], half), topL)
		right[k] = w.Mul(w.Add(middle, end), w.Add(interval.Int(1), w.Inv(half))).Upper()
	}
	tiny := w.Scale(interval.Int(1), -cut)
	over := func(k int, floor interval.Interval) bool { // f is well above what it is at least
		s := interval.Max(excess[k-v.lo-1], excess[k-v.lo])
		d := w.Sub(v.at(k), floor)
		return interval.Max(tiny, w.Scale(s, 1)).Less(d) == interval.True
	}
	plain := func(k int) interval.Interval { return w.Sub(interval.Int(1), v.alpha(k)) }
	for from = -1; from > v.lo+2 && over(from, plain(from)); from-- {
	}
	bottom := w.Rat(least)
	for to = 1; to < v.hi-3 && over(to, bottom); to++ {
	}
	gap := func(k int) interval.Interval { return interval.Max(excess[k-v.lo-1], excess[k-v.lo]) }
	first := func(k int) interval.Interval { // what g may be at k if it is 1 − α at k − 1
		return w.Sub(v.at(k).Lower(), interval.Max(gap(k), left[k-v.lo-1]))
	}
	last := func(k int) interval.Interval { // and if it is least at k + 1
		return w.Sub(v.at(k).Lower(), interval.Max(gap(k), right[k-v.lo]))
	}
	// An end beside which g may be no more than it is beyond the end moves there.
	for from+1 < to && plain(from+1).Less(first(from+1)) != interval.True {
		from++
	}
	for from+1 < to && bottom.Less(last(to-1)) != interval.True {
		to--
	}
	most = make([]interval.Interval, n)
	most[from-v.lo], most[to-v.lo] = plain(from), bottom
	for k := from + 1; k < to; k++ {
		most[k-v.lo] = w.Sub(v.at(k).Lower(), gap(k))
		if k == from+1 {
			most[k-v.lo] = interval.Min(most[k-v.lo], first(k))
		}
		if k == to-1 {
			most[k-v.lo] = interval.Min(most[k-v.lo], last(k))
		}
	}
	return from, to, most
}
