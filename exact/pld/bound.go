package pld

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
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

// A hullPoint is a point (e^(x_i), u_i).
type hullPoint struct {
	i        int64
	alpha, u interval.Interval // u is a point: the upper end of an enclosure
}

// cutBound returns the dominating pair on the grid, P-masses rounded down.
func (s *source) cutBound(ctx context.Context, delta *big.Rat, lo, hi int64, n int, w interval.Prec, prec uint) (*lattice, error) {
	d := w.Rat(delta)
	eval := func(i int64) (hullPoint, error) {
		x := new(big.Rat).Mul(delta, new(big.Rat).SetInt64(i))
		y, err := s.bound(ctx, w, interval.RealRat(x))
		if err != nil {
			return hullPoint{}, err
		}
		return hullPoint{i, w.Exp(w.Mul(d, interval.Int(i))), interval.Point(y.Hi())}, nil
	}
	var points []hullPoint
	add := func(i int64) error {
		p, err := eval(i)
		points = append(points, p)
		return err
	}
	step := max((hi-lo)/initialCells, 1)
	for i := lo; i < hi; i += step {
		if err := add(i); err != nil {
			return nil, err
		}
	}
	if err := add(hi); err != nil {
		return nil, err
	}
	// Halve the cells over which the bound falls most, as cut does.
	for {
		var mids []int64
		for j := 1; j < len(points); j++ {
			a, b := points[j-1], points[j]
			if h := b.i - a.i; h > 1 && coarse(mass(w, a.u, b.u), h, n) {
				mids = append(mids, a.i+h/2)
			}
		}
		if len(mids) == 0 || len(points)+len(mids) > n {
			break
		}
		for _, i := range mids {
			if err := add(i); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(points, func(a, b hullPoint) int { return cmp.Compare(a.i, b.i) })
	}
	return hullLattice(points, delta, w, prec), nil
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
		return &lattice{step: step{rat: delta}, v: convolve.NewVector(1, prec)}
	}
	first := hull[1].i
	v := convolve.NewVector(int(hull[len(hull)-1].i-first)+1, prec)
	for k := 1; k < len(hull); k++ {
		left, right := slope(hull[k-1], hull[k]), zero
		if k+1 < len(hull) {
			right = slope(hull[k], hull[k+1])
		}
		m := interval.Max(zero, w.Mul(hull[k].alpha, w.Sub(right, left)))
		v.Set(int(hull[k].i-first), floorScaled(m, prec))
	}
	out := &lattice{step: step{rat: delta}, first: first}
	t, skip := v.Trim()
	out.v, out.first = t, first+int64(skip)
	return out
}

// boundExtent looks for the range in which the bound is neither next to its last
// value nor next to that of equal distributions.
func (s *source) boundExtent(w interval.Prec, bits int) extent {
	ctx := context.Background()
	at := func(x *big.Rat) interval.Interval {
		y, err := s.bound(ctx, w, interval.RealRat(x))
		if err != nil {
			return profile.Unit()
		}
		return interval.Point(y.Hi())
	}
	cut := w.Scale(interval.Int(1), -bits)
	last := at(pow2(30))
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
