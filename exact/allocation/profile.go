// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"context"
	"errors"
	"sort"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// from returns the sums of x from each entry on, and upTo those before it.
func from(x []float64) []double.Interval {
	out := make([]double.Interval, len(x)+1)
	for i := len(x) - 1; i >= 0; i-- {
		out[i] = out[i+1].Add(double.Interval{Lo: x[i], Hi: x[i]})
	}
	return out
}

func upTo(x []float64) []double.Interval {
	out := make([]double.Interval, len(x)+1)
	for i, y := range x {
		out[i+1] = out[i].Add(double.Interval{Lo: y, Hi: y})
	}
	return out
}

// moments returns the masses of a spread times their places.
func (s *spread) moments() []double.Interval {
	out := make([]double.Interval, len(s.place)+1)
	for i := len(s.place) - 1; i >= 0; i-- {
		out[i] = out[i+1].Add(double.Interval{Lo: s.place[i],
			Hi: s.place[i]}.Mul(double.Interval{Lo: s.mass[i], Hi: s.mass[i]}))
	}
	return out
}

// Profile returns the profile of the allocation, or of its reverse.
//
// Above. The larger law has masses of at most e^slack times those kept; what is left out adds its P-mass to E(S − α)₊
// and its Q-mass to E(1 − αS)₊, as (s − α)₊ ≤ s and (1 − αs)₊ ≤ 1 for s ≥ 0. Masses that are rounded down lack η = 1 −
// Σv of Q-mass and ζ = 1 − Σv·s of P-mass: the lesser one of the two counts.
//
// Below. For any set of groups: those from one on for P, those up to one for Q.
func (l *Law) Profile(reversed bool) profile.Func {
	up, low := &l.upper, &l.lower
	unit := double.Of(interval.Prec(64).Rat(l.unit))
	mass, moment := from(up.mass), up.moments()
	one := double.Int(1)
	// missing is what rounding and leaving out take, and left what leaving out alone.
	missing, left := one.Sub(unit.Mul(moment[0])), unit.Mul(double.Interval{Lo: up.far, Hi: up.far})
	bs, fs := from(low.mass), from(low.sum)
	if reversed {
		missing, left = one.Sub(mass[0]), double.Interval{Lo: up.lost, Hi: up.lost}
		bs, fs = upTo(low.mass), upTo(low.sum)
	}
	missing, left = missing.AtLeastZero().Upper(), left.AtLeastZero().Upper()
	tooSmall, wide := factor(up.slack).Upper(), factor(low.slack)
	infinite := double.Of(l.special)
	return func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		alpha := double.Of((p + 64).Exp(eps(p + 64)))
		if !alpha.IsFinite() || alpha.Lo <= 0 {
			return profile.Unit(), nil
		}
		t := alpha.Div(unit)
		if reversed {
			t = one.Div(alpha).Div(unit)
		}
		n := len(up.place)
		i0 := sort.Search(n, func(i int) bool { return up.place[i] >= t.Lo })
		i1 := sort.Search(n, func(i int) bool { return up.place[i] > t.Hi })
		u := unit.Mul(moment[i1]).Sub(alpha.Mul(mass[i1])).AtLeastZero()
		if reversed {
			u = mass[0].Sub(mass[i0]).Sub(alpha.Mul(unit).Mul(moment[0].Sub(moment[i0]))).AtLeastZero()
		}
		for i := i0; i < i1; i++ {
			s := unit.Mul(double.Interval{Lo: up.place[i], Hi: up.place[i]})
			d := s.Sub(alpha)
			if reversed {
				d = one.Sub(alpha.Mul(s))
			}
			u = u.Add(d.AtLeastZero().Mul(double.Interval{Lo: up.mass[i], Hi: up.mass[i]}))
		}
		above := min(u.Add(missing).Hi, u.Mul(tooSmall).Add(left).Hi, 1)

		below := greatest(len(low.mass), func(i int) double.Interval {
			b, f := bs[i].Mul(wide), fs[i].Mul(wide).Mul(unit)
			if reversed {
				return b.Lower().Sub(alpha.Mul(f))
			}
			return f.Lower().Sub(alpha.Mul(b))
		}).AtLeastZero()
		if !reversed {
			below = below.Add(infinite.Lower().Sub(alpha.Mul(double.Of(l.without))).AtLeastZero())
		}
		lo, hi := max(below.Lo, 0), above
		if lo > hi {
			return profile.Unit(), errCrossed
		}
		return p.Round(double.Interval{Lo: lo, Hi: hi}.Exact()), nil
	}
}

// errCrossed says that two sound bounds crossed.
var errCrossed = errors.New("allocation: internal error: a lower bound exceeds an upper bound")

// greatest returns the greatest value that it finds of f on 0 … n: the ends of stretches that get
// shorter, about the best so far. It is the greatest of all where f rises and then falls.
func greatest(n int, f func(int) double.Interval) double.Interval {
	best, at := f(n), n
	const parts = 32
	for lo, hi, step := 0, n, max(n/parts, 1); ; step = max(step/parts, 1) {
		for i := lo; i <= hi; i += step {
			if y := f(i); best.Lo < y.Lo {
				best, at = y, i
			}
		}
		if step == 1 {
			return best
		}
		lo, hi = max(at-step, 0), min(at+step, n)
	}
}

// Dominating returns the outcomes of a pair that dominates the allocation, or its reverse, which are listed the same
// way round.
//
// Call the distribution first that is P, or Q in the reverse. The larger law has first masses A_i at its losses, a_i ≥
// A_i what they are at most, and what is left out has g at most, of infinite loss. Take a_i from the greatest loss down
// until there is no more than 1 − g: of the losses from any one on that is as much as the A_i and what is left out, or
// more. Masses that move to a greater loss, and take no more of the second distribution along than belongs there, make
// a pair that dominates: its H_α is Σ a_i·(1 − α·e^−ℓ_i)₊, and rises with ℓ_i.
func (l *Law) Dominating(w interval.Prec, reversed bool) []pair.Outcome {
	one := interval.Int(1)
	unit, most := w.Rat(l.unit), factor(l.upper.slack).Upper().Exact()
	gone := w.Mul(unit, double.Point(l.upper.far).Exact())
	if reversed {
		gone = double.Point(l.upper.lost).Exact()
	}
	left := interval.Max(interval.Int(0), w.Sub(one, gone)).Lower()
	var out []pair.Outcome
	infinite, others := one, one
	n := len(l.upper.mass)
	for k := range n {
		i := k
		if !reversed {
			i = n - 1 - k
		}
		s := w.Mul(unit, double.Point(l.upper.place[i]).Exact())
		o := pair.Outcome{Q: w.Mul(double.Point(l.upper.mass[i]).Exact(), most).Upper()}
		first := &o.Q
		if !reversed {
			o.P = w.Mul(o.Q, s).Upper()
			first = &o.P
		}
		if left.Less(*first) != interval.False {
			*first = left
		}
		left = interval.Max(interval.Int(0), w.Sub(left, *first)).Lower()
		infinite = w.Sub(infinite, *first)
		switch {
		case first.IsZero():
			continue
		case reversed:
			o.P = w.Mul(o.Q, s)
			others = w.Sub(others, o.P)
		default:
			o.Q = w.Div(o.P, s)
			others = w.Sub(others, o.Q)
		}
		out = append(out, o)
	}
	infinite, others = interval.Max(interval.Int(0), infinite), interval.Max(interval.Int(0), others)
	if reversed {
		infinite, others = others, infinite
	}
	return append(out, pair.Outcome{P: infinite}, pair.Outcome{Q: others})
}

// Dominated returns the outcomes of a post-processing: the groups, the outcomes of infinite ratio, and all that
// is dropped as one.
func (l *Law) Dominated(w interval.Prec) []pair.Outcome {
	var out []pair.Outcome
	unit, wide := w.Rat(l.unit), factor(l.lower.slack)
	for i, m := range l.lower.mass {
		q, sum := double.Interval{Lo: m, Hi: m}.Mul(wide), double.Interval{Lo: l.lower.sum[i], Hi: l.lower.sum[i]}.Mul(wide)
		out = append(out, pair.Outcome{P: w.Mul(sum.Exact(), unit), Q: q.Exact()})
	}
	if l.special.Positive() == interval.True {
		out = append(out, pair.Outcome{P: l.special, Q: l.without})
	}
	return out
}
