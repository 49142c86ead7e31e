// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"sync/atomic"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A factor of which only an upper bound u of the profile H is known (a Rényi
// guarantee, a pair that dominates both orientations of another) enters a grid by
// the convex hull of the bound [Zhu, Dong & Wang 2022, Proposition 8 and
// Corollary 26].
//
// With α_i = e^(x_i) and u_i ≥ H(α_i), H is at most the chord between any two points
// (α_i, u_i), because H is convex, hence at most the lower convex hull of these points,
// of (0, 1) and of a horizontal line to the right of the last. The hull is convex,
// falling, 1 at 0: the profile of a pair on the grid, which therefore dominates.

// A hullPoint is a point (e^(x_i), u_i); u encloses it.
type hullPoint struct {
	i        int64
	alpha, u interval.Interval
}

// A boundSource is such a factor.
type boundSource struct {
	Bound
	weigh func(points []hullPoint, j int, w interval.Prec) interval.Interval // about the mass of the cell that ends at j
}

// byFall weighs a cell by how much the bound falls over it.
func byFall(points []hullPoint, j int, w interval.Prec) interval.Interval {
	return mass(w, points[j-1].u.Upper(), points[j].u.Upper())
}

// byTurn weighs a cell by the P-mass of the pair that has this profile, which the slopes on either side tell.
func byTurn(points []hullPoint, j int, w interval.Prec) interval.Interval {
	slope := func(a, b hullPoint) interval.Interval {
		return w.Div(w.Sub(b.u, a.u), w.Sub(b.alpha, a.alpha)).Upper()
	}
	left, right := interval.Int(-1), interval.Int(0)
	if j > 1 {
		left = slope(points[j-2], points[j-1])
	}
	if j+1 < len(points) {
		right = slope(points[j], points[j+1])
	}
	return w.Mul(points[j].alpha, mass(w, right, left))
}

func (boundSource) prepare(context.Context, Settings, int64) (bool, error) { return true, nil }

func (boundSource) twoSided() bool { return false }

func (boundSource) atom() *big.Rat { return nil }

// A coarseCell is a cell to be halved at the point mid; weight is how much it matters.
type coarseCell struct {
	mid    int64
	weight *big.Float
}

// cut returns the dominating pair on the mesh, P-masses rounded down.
func (s boundSource) cut(ctx context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	points, err := s.points(ctx, m, w, set)
	if err != nil {
		return nil, nil, err
	}
	return hullLattice(points, m.delta, w, set.Prec), nil, nil
}

// points are values of the profile on the mesh: more of them where it falls most.
func (s boundSource) points(ctx context.Context, m mesh, w interval.Prec, set Settings) ([]hullPoint, error) {
	d := w.Rat(m.delta)
	var points []hullPoint
	add := func(at ...int64) error {
		first := len(points)
		points = append(points, make([]hullPoint, len(at))...)
		var failed atomic.Pointer[error]
		err := convolve.Parallel(ctx, len(at), func(k int) {
			y, err := s.Profile(ctx, w, interval.RealRat(m.at(at[k])))
			if err != nil {
				failed.Store(&err)
			}
			points[first+k] = hullPoint{at[k], w.Exp(w.Mul(d, interval.Int(at[k]))), y}
		})
		if e := failed.Load(); e != nil {
			return *e
		}
		return err
	}
	values := set.Points
	if s.Values > 0 {
		values = min(values, s.Values)
	}
	first := min(initialCells, max(int64(values)-1, 1))
	var all []int64
	for i := m.lo; i < m.hi; i += (m.hi - m.lo + first - 1) / first {
		all = append(all, i)
	}
	if err := add(append(all, m.hi)...); err != nil {
		return nil, err
	}
	const rough = interval.Prec(32)
	// Halve the cells that are coarse, as in tails, those first that matter most.
	for len(points) < values {
		var coarsest []coarseCell
		for j := 1; j < len(points); j++ {
			h := points[j].i - points[j-1].i
			if m := s.weigh(points, j, w); h > 1 && coarse(m, h, set.Points) {
				coarsest = append(coarsest, coarseCell{points[j-1].i + h/2, rough.Mul(m, interval.Int(h*h)).Hi()})
			}
		}
		if len(coarsest) == 0 {
			break
		}
		slices.SortFunc(coarsest, func(a, b coarseCell) int { return b.weight.Cmp(a.weight) })
		var middles []int64
		for _, c := range coarsest[:min(len(coarsest), values-len(points), len(points)/2)] {
			middles = append(middles, c.mid)
		}
		if err := add(middles...); err != nil {
			return nil, err
		}
		slices.SortFunc(points, func(a, b hullPoint) int { return cmp.Compare(a.i, b.i) })
	}
	return points, nil
}

// hullLattice returns the pair whose profile is the lower hull of the points. With s_i
// the slope to the right of vertex i (0 after the last), the P-mass at x_i is
// α_i·(s_i − s_{i−1}); the last u has infinite loss, and is missing.
//
// A point is dropped unless it is certain to lie below the chord over it: dropping
// one only raises the hull, and what remains is convex for certain.
func hullLattice(points []hullPoint, delta *big.Rat, w interval.Prec, prec uint) *lattice {
	zero := interval.Int(0)
	slope := func(a, b hullPoint) interval.Interval { return w.Div(w.Sub(b.u, a.u), w.Sub(b.alpha, a.alpha)) }
	start := hullPoint{alpha: zero, u: interval.Int(1)}
	hull := []hullPoint{start}
	for _, p := range points {
		p.u = p.u.Upper()
		for len(hull) > 1 {
			k := len(hull)
			if slope(hull[k-2], hull[k-1]).Less(slope(hull[k-1], p)) == interval.True {
				break
			}
			hull = hull[:k-1]
		}
		hull = append(hull, p)
	}
	// A rising last segment is no part of a falling function.
	for len(hull) > 1 && slope(hull[len(hull)-2], hull[len(hull)-1]).Negative() != interval.True {
		hull = hull[:len(hull)-1]
	}
	if len(hull) == 1 {
		// No point helps: everything has infinite loss.
		return &lattice{step: step{rat: delta}, v: convolve.NewVector(1, prec), rounding: convolve.Sums}
	}
	first := hull[1].i
	v := convolve.NewVector(int(hull[len(hull)-1].i-first)+1, prec)
	var sums prefix
	for k := 1; k < len(hull); k++ {
		left, right := slope(hull[k-1], hull[k]), zero
		if k+1 < len(hull) {
			right = slope(hull[k], hull[k+1])
		}
		m := interval.Max(zero, w.Mul(hull[k].alpha, w.Sub(right, left)))
		v.Set(int(hull[k].i-first), sums.add(m, prec))
	}
	out := &lattice{step: step{rat: delta}, first: first, rounding: convolve.Sums}
	t, skip := v.Trim()
	out.v, out.first = t, first+int64(skip)
	return out
}

// extent looks for the range in which the bound is neither next to its last value nor
// next to the profile of equal distributions.
func (s boundSource) extent(ctx context.Context, bits int) extent {
	w := interval.Prec(bits + 32)
	at := func(x *big.Rat) interval.Interval {
		y, err := s.Profile(ctx, w, interval.RealRat(x))
		if err != nil {
			return profile.Unit()
		}
		return y.Upper()
	}
	cut := w.Scale(interval.Int(1), -bits)
	last := at(interval.Pow2(30))
	var e extent
	e.hi = edge(func(x *big.Rat) bool { return w.Sub(at(x), last).LessEq(cut) != interval.True }, +1)
	e.lo = edge(func(x *big.Rat) bool { // u(x) − (1 − e^x)
		return w.Sub(at(x), w.Expm1(w.Rat(x)).Neg()).LessEq(cut) != interval.True
	}, -1)
	if e.lo.Cmp(e.hi) >= 0 {
		e.lo = new(big.Rat).Sub(e.hi, big.NewRat(1, 1<<20))
	}
	// The loss is unlikely to be far beyond where the bound falls below 2^−10: take a
	// tenth of that for a standard deviation.
	small := interval.Prec(64).Scale(interval.Int(1), -10)
	x := edge(func(x *big.Rat) bool { return at(x).LessEq(small) != interval.True }, +1)
	e.variance = interval.Prec(64).Sqr(interval.Prec(64).Rat(new(big.Rat).Mul(x, big.NewRat(1, 4))))
	return e
}

// maximumBound is the largest of the profiles of products, each a single pair with tails or
// with losses on lattices; nil if one is not. Their cancellation does not matter here: masses
// count absolutely.
func maximumBound(x pair.Maximum) profile.Func {
	var fs []profile.Func
	for _, o := range x.Of {
		f, ok := alternativeBound(o)
		if !ok {
			return nil
		}
		fs = append(fs, f)
	}
	return profile.Max(fs...)
}

// alternativeBound is the profile of a product by tails, by few outcomes, by both, by a lattice, or of a sample of
// such a product.
func alternativeBound(prod pair.Product) (profile.Func, bool) {
	if f, ok := tailsBound(prod); ok {
		return f, true
	}
	if f, ok := outcomesBound(prod); ok {
		return f, true
	}
	if x, ok := pair.Single[pair.Sampled](prod); ok {
		base := x.Base
		if x.Reversed {
			base = base.Reverse()
		}
		if f, ok := alternativeBound(base); ok {
			if x.Reversed {
				return profile.SampleReversed(x.Rate, f), true
			}
			return profile.Sample(x.Rate, f), true
		}
	}
	return latticeBound(prod)
}

// maxBoundOutcomes bounds the outcomes that a profile is summed over for each of its values.
const maxBoundOutcomes = 1 << 8

// outcomesBound is the profile of few outcomes, and of at most one pair with tails: Gaussians are one.
func outcomesBound(prod pair.Product) (profile.Func, bool) {
	var continuous, discrete pair.Product
	for _, t := range collapse(prod) {
		if t.Pair.Kind() == pair.Discrete {
			discrete = append(discrete, t)
		} else {
			continuous = append(continuous, t)
		}
	}
	const prec = interval.Prec(256)
	os, rest, ok := pair.ProductOutcomes(discrete, prec, maxBoundOutcomes)
	if !ok {
		return nil, false
	}
	base := profile.Func(profile.Trivial)
	if len(continuous) > 0 {
		if base, ok = tailsBound(continuous); !ok {
			return nil, false
		}
	}
	return profile.Times(base, os, rest), true
}

// tailsBound is the profile of a single pair with tails.
func tailsBound(prod pair.Product) (profile.Func, bool) {
	if len(prod) != 1 || prod[0].Count != 1 {
		return nil, false
	}
	t, ok := closed.PairTails(prod[0].Pair)
	return func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		e := closed.Arg{Interval: eps(w)}
		p, q := t(w, e)
		y := w.Sub(p, w.Mul(w.Exp(e.Interval), q))
		return interval.Clamp(interval.Min(y, interval.Int(1)), 0, 1), nil
	}, ok
}

// latticeBound is the profile of a product with losses on lattices, which are summed up
// when it is needed first. It is [0, 1] if that exceeds its limits.
func latticeBound(prod pair.Product) (profile.Func, bool) {
	const prec = 62*6 - 1
	limits := Limits{Points: 1 << 16, Words: 1 << 18, Terms: 1 << 8}
	return profile.Late(func(ctx context.Context) (profile.Func, error) {
		d, ok, err := New(ctx, prod, prec, limits)
		if !ok {
			return func(context.Context, interval.Prec, interval.Real) (interval.Interval, error) {
				return profile.Unit(), nil
			}, err
		}
		return d.Delta, nil
	}), OnLattice(prod, limits)
}
