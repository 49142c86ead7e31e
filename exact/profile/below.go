// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Value says that H_α is between Lo and Hi.
type Value struct{ Alpha, Lo, Hi *big.Rat }

func slope(a, b pair.Corner) *big.Rat {
	d := new(big.Rat).Sub(b.Y, a.Y)
	return d.Quo(d, new(big.Rat).Sub(b.X, a.X))
}

// meet returns a point below the line through a of slope s and the one through b of slope t, next to where they meet,
// of about w bits, if that is between their x. s, t ≤ 0.
func meet(a pair.Corner, s *big.Rat, b pair.Corner, t *big.Rat, w interval.Prec) (pair.Corner, bool) {
	at := func(a pair.Corner, s, x *big.Rat) *big.Rat {
		y := new(big.Rat).Sub(x, a.X)
		return y.Add(y.Mul(y, s), a.Y)
	}
	between := func(x *big.Rat) bool { return a.X.Cmp(x) < 0 && x.Cmp(b.X) < 0 }
	d := new(big.Rat).Sub(s, t)
	if d.Sign() == 0 {
		return pair.Corner{}, false
	}
	x := d.Quo(new(big.Rat).Sub(at(b, t, a.X), a.Y), d) // a.Y + s(x − a.X) = b.Y + t(x − b.X)
	if x.Add(x, a.X); !between(x) {
		return pair.Corner{}, false
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
	if y.Cmp(b.Y) < 0 {
		y = b.Y // lines that fall, and meet at x or behind it
	}
	return pair.Corner{X: x, Y: y}, true
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
	lo, hi := make([]pair.Corner, n), make([]pair.Corner, n)
	for i := n - 1; i >= 0; i-- {
		y := new(big.Rat).Sub(one, vs[i].Alpha)
		for _, least := range []*big.Rat{vs[i].Lo, zero} {
			if y.Cmp(least) < 0 {
				y = least
			}
		}
		if i+1 < n && y.Cmp(lo[i+1].Y) < 0 {
			y = lo[i+1].Y
		}
		lo[i] = pair.Corner{X: vs[i].Alpha, Y: y}
	}
	for i := range n {
		y := vs[i].Hi
		if i > 0 && hi[i-1].Y.Cmp(y) < 0 {
			y = hi[i-1].Y
		}
		hi[i] = pair.Corner{X: vs[i].Alpha, Y: y}
	}
	start := pair.Corner{X: zero, Y: one}
	points := []pair.Corner{start}
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
	if steep.Sign() < 0 && last.Y.Sign() > 0 { // down to 0
		x := new(big.Rat).Quo(last.Y, steep)
		points = append(points, pair.Corner{X: x.Sub(last.X, x), Y: zero})
	}
	var alphas, values []*big.Rat
	for _, p := range aboveLine(pair.ConvexHull(points)) {
		alphas, values = append(alphas, p.X), append(values, p.Y)
	}
	return pair.FromProfile(alphas, values), true
}

// aboveLine returns the greater of a convex polygon that starts at (0, 1) and of 1 − x, from which it differs by a
// convex function that is 0 at 0: it is below the line up to some point at most.
func aboveLine(hull []pair.Corner) []pair.Corner {
	one := big.NewRat(1, 1)
	over := func(v pair.Corner) *big.Rat { return new(big.Rat).Sub(v.Y, new(big.Rat).Sub(one, v.X)) }
	out := hull[:1:1]
	for i := 1; i < len(hull); i++ {
		d := over(hull[i])
		if d.Sign() < 0 {
			continue
		}
		if before := over(hull[i-1]); before.Sign() < 0 {
			// 0 on the way from before to d
			share := new(big.Rat).Quo(before, new(big.Rat).Sub(before, d))
			x := new(big.Rat).Sub(hull[i].X, hull[i-1].X)
			x.Add(x.Mul(x, share), hull[i-1].X)
			if x.Cmp(hull[i].X) < 0 {
				out = append(out, pair.Corner{X: x, Y: new(big.Rat).Sub(one, x)})
			}
		}
		out = append(out, hull[i])
	}
	if len(out) == 1 { // below it all the way
		out = append(out, pair.Corner{X: one, Y: new(big.Rat)})
	}
	return out
}
