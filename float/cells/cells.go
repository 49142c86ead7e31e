// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package cells puts the privacy loss of one mechanism on a lattice of losses i·h in
// float64, from above and from below. Masses of cells are differences of values in closed
// form, never a density times a width [Zhu, Dong & Wang 2022, Lemma 40, corrected].
//
// The upper bound connects the dots [Doroshenko et al. 2022]: the pair whose profile
// interpolates δ at the lattice points, linearly in e^ε, dominates the mechanism. The lower
// bound regroups: the mass of a cell goes to its two end points in shares that keep its
// mean loss, the same shares for P and Q, which is a post-processing. Both hold under
// composition, and both are off by second order of the spacing where the profile is smooth.
package cells

import (
	"context"
	"math"

	"dpverify/float/closed"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// A Source is one mechanism with the closed forms that its cells take.
type Source struct {
	profile closed.Profile
	tails   closed.Tails
	inf     value.Value
	// Lo and Hi are losses outside of which there is next to no mass: what is above counts
	// in full, once for each copy, what is below is nearly irrelevant.
	Lo, Hi float64
	// SD estimates the standard deviation of the finite losses.
	SD float64
}

// Applies reports whether every factor of a product has the closed forms.
func Applies(p pair.Product) bool {
	for _, t := range p {
		if _, _, ok := closed.TailsOf(t.Pair); !ok {
			return false
		}
	}
	return len(p) > 0
}

// Of returns the source of a pair; false if it has no closed form, or only infinite loss, or
// if ctx ends.
func Of(ctx context.Context, x pair.Pair) (Source, bool) {
	f, ok := closed.Of(ctx, pair.Product{{Pair: x, Count: 1}})
	if !ok {
		return Source{}, false
	}
	tails, inf, ok := closed.TailsOf(x)
	if !ok || inf.Hi() >= 1 {
		return Source{}, false
	}
	s := Source{profile: f, tails: tails, inf: inf}
	if s.Lo, s.Hi, ok = extent(ctx, tails, inf); !ok {
		return Source{}, false
	}
	s.SD, ok = deviation(ctx, tails, s.Lo, s.Hi)
	return s, ok
}

// extent returns Lo and Hi. A tail is as good as 1 if it may be: one of a bounded law is off
// by its rounding where it is 1.
func extent(ctx context.Context, t closed.Tails, inf value.Value) (lo, hi float64, ok bool) {
	const above, below = 1e-50, 1e-30
	find := func(sign float64, small func(x float64) bool) float64 {
		x := 1e-6
		for ; !small(sign * x); x *= 2 {
			if x > 1e5 || ctx.Err() != nil {
				return math.Inf(1)
			}
		}
		// Within 2% of the least such x.
		l, r := x/2, x
		for range 6 {
			if m := (l + r) / 2; small(sign * m) {
				r = m
			} else {
				l = m
			}
		}
		return r
	}
	hi = find(1, func(x float64) bool {
		p, _ := t(value.Exact(x))
		return p.Sub(inf).V <= above
	})
	lo = -find(-1, func(x float64) bool {
		_, q := t(value.Exact(x))
		p, _ := t(value.Exact(x))
		return 1-p.Hi() <= below && 1-q.V <= 0.5 || 1-p.Hi() <= 0
	})
	return lo, hi, !math.IsInf(lo-hi, 0)
}

// deviation estimates the standard deviation of the finite losses; false if ctx ends.
func deviation(ctx context.Context, t closed.Tails, lo, hi float64) (sd float64, ok bool) {
	const n = 400
	h := (hi - lo) / n
	before, _ := t(value.Exact(lo))
	var mass, mean, square float64
	for i := 1; i <= n; i++ {
		if ctx.Err() != nil {
			return 0, false
		}
		x := lo + float64(i)*h
		p, _ := t(value.Exact(x))
		m := math.Max(0, before.V-p.V)
		before = p
		mass, mean, square = mass+m, mean+m*x, square+m*x*x
	}
	if mass == 0 {
		return h, true
	}
	mean /= mass
	return math.Sqrt(math.Max(square/mass-mean*mean, h*h/12)), true
}

// Spacing returns h, enlarged by at most 2^−20 of itself so that the products of it with
// integers below 2^32 are exact.
func Spacing(h float64) float64 {
	return math.Ldexp(math.Ceil(math.Ldexp(h, 20-math.Ilogb(h))), math.Ilogb(h)-20)
}

// Cells returns the bounds on the lattice of spacing h; false if ctx ends.
func (s Source) Cells(ctx context.Context, h float64) (Cells, bool) {
	c := Cells{First: int(math.Floor(s.Lo / h)), Inf: s.inf}
	n := int(math.Ceil(s.Hi/h)) - c.First
	return c, c.connect(ctx, s.profile, h, n) && c.regroup(ctx, s.tails, h, n)
}
