// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Value says that H_α is between Lo and Hi.
type Value struct{ Alpha, Lo, Hi *big.Rat }

// A vertex is a point of a polygon.
type vertex struct{ x, y *big.Rat }

func slope(a, b vertex) *big.Rat {
	d := new(big.Rat).Sub(b.y, a.y)
	return d.Quo(d, new(big.Rat).Sub(b.x, a.x))
}

// meet returns a point below the line through a of slope s and the one through b of slope t, next to where they meet,
// of about w bits, if that is between their x. s, t ≤ 0.
func meet(a vertex, s *big.Rat, b vertex, t *big.Rat, w interval.Prec) (vertex, bool) {
	at := func(a vertex, s, x *big.Rat) *big.Rat {
		y := new(big.Rat).Sub(x, a.x)
		return y.Add(y.Mul(y, s), a.y)
	}
	between := func(x *big.Rat) bool { return a.x.Cmp(x) < 0 && x.Cmp(b.x) < 0 }
	d := new(big.Rat).Sub(s, t)
	if d.Sign() == 0 {
		return vertex{}, false
	}
	x := d.Quo(new(big.Rat).Sub(at(b, t, a.x), a.y), d) // a.y + s(x − a.x) = b.y + t(x − b.x)
	if x.Add(x, a.x); !between(x) {
		return vertex{}, false
	}
	if near, _, ok := w.Rat(x).Rationals(); ok && between(near) {
		x = near
	}
	y, z := at(a, s, x), at(b, t, x)
	if z.Cmp(y) < 0 {
		y = z
	}
	if least, _, ok := w.Rat(y).Rationals(); ok {
		y = least
	}
	if y.Cmp(b.y) < 0 {
		y = b.y // lines that fall, and meet at x or behind it
	}
	return vertex{x, y}, true
}

// Below returns a pair that every pair with these values of its profile dominates. The α rise, from above 0. It reports
// false for less than two. What is rounded, down, has w bits.
//
// Values are made to fall and to be at least (1 − α)₊, as the values of a profile are. H is convex, and lies above a
// chord outside of the chord's ends: on the right of α_k above the line through (α_k, Lo) and (α_{k−1}, Hi), which is
// steeper than the chord, and on the left of it above the one through (α_k, Lo) and (α_{k+1}, Hi), which is flatter.
// Where the first line of α_k meets the second one of α_{k+1}, both are below H up to there and from there on; where
// they do not meet in between, one of them is above the other one all the way and so above the points (α_k, Lo) and
// (α_{k+1}, Lo). In either case the polygon through the points and where the lines meet, or below both, is below H, and
// so is its lower convex hull. The greater of that and of 1 − α is a profile.
func Below(vs []Value, w interval.Prec) (pair.Finite, bool) {
	zero, one := new(big.Rat), big.NewRat(1, 1)
	n := len(vs)
	if n < 2 {
		return pair.Finite{}, false
	}
	lo, hi := make([]vertex, n), make([]vertex, n)
	for i := n - 1; i >= 0; i-- {
		y := new(big.Rat).Sub(one, vs[i].Alpha)
		for _, least := range []*big.Rat{vs[i].Lo, zero} {
			if y.Cmp(least) < 0 {
				y = least
			}
		}
		if i+1 < n && y.Cmp(lo[i+1].y) < 0 {
			y = lo[i+1].y
		}
		lo[i] = vertex{vs[i].Alpha, y}
	}
	for i := range n {
		y := vs[i].Hi
		if i > 0 && hi[i-1].y.Cmp(y) < 0 {
			y = hi[i-1].y
		}
		hi[i] = vertex{vs[i].Alpha, y}
	}
	start := vertex{zero, one}
	points := []vertex{start}
	falling, flat := big.NewRat(-1, 1), new(big.Rat)
	last, steep := start, falling
	for k := range n {
		flat = new(big.Rat)
		if k+1 < n {
			if flat = slope(lo[k], hi[k+1]); flat.Sign() > 0 {
				flat = zero
			}
		}
		if v, ok := meet(last, steep, lo[k], flat, w); ok {
			points = append(points, v)
		}
		points = append(points, lo[k])
		before := start
		if k > 0 {
			before = hi[k-1]
		}
		last, steep = lo[k], slope(before, lo[k])
	}
	if steep.Sign() < 0 && last.y.Sign() > 0 { // down to 0
		x := new(big.Rat).Quo(last.y, steep)
		points = append(points, vertex{x.Sub(last.x, x), zero})
	}
	var alphas, values []*big.Rat
	for _, p := range aboveLine(lowerHull(points)) {
		alphas, values = append(alphas, p.x), append(values, p.y)
	}
	return pair.FromProfile(alphas, values), true
}

// lowerHull returns the lower convex hull of points of rising x.
func lowerHull(points []vertex) []vertex {
	var hull []vertex
	for _, p := range points {
		for len(hull) > 1 && slope(hull[len(hull)-2], hull[len(hull)-1]).Cmp(slope(hull[len(hull)-1], p)) >= 0 {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
	}
	return hull
}

// aboveLine returns the greater of a convex polygon that starts at (0, 1) and of 1 − x, from which it differs by a
// convex function that is 0 at 0: it is below the line up to some point at most.
func aboveLine(hull []vertex) []vertex {
	one := big.NewRat(1, 1)
	over := func(v vertex) *big.Rat { return new(big.Rat).Sub(v.y, new(big.Rat).Sub(one, v.x)) }
	out := hull[:1:1]
	for i := 1; i < len(hull); i++ {
		d := over(hull[i])
		if d.Sign() < 0 {
			continue
		}
		if before := over(hull[i-1]); before.Sign() < 0 {
			// 0 on the way from before to d
			share := new(big.Rat).Quo(before, new(big.Rat).Sub(before, d))
			x := new(big.Rat).Sub(hull[i].x, hull[i-1].x)
			x.Add(x.Mul(x, share), hull[i-1].x)
			if x.Cmp(hull[i].x) < 0 {
				out = append(out, vertex{x, new(big.Rat).Sub(one, x)})
			}
		}
		out = append(out, hull[i])
	}
	if len(out) == 1 { // below it all the way
		out = append(out, vertex{one, new(big.Rat)})
	}
	return out
}
