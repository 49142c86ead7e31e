// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"slices"

	"dpverify/mechanism"
)

// A corner is a point (α, f(α)) of a trade-off function that is linear between its corners, from α = 0 to α = 1.
type corner struct{ x, y *big.Rat }

// NewTradeOff returns the worst pair of an f-DP guarantee in both orientations.
//
// Claim. Let f be the hull of the points, of (0, 1) and of (1, 0), and g = max(f, f⁻¹). T(P, Q) ≥ f and T(Q, P) ≥ f
// if and only if T(P, Q) ≥ g. A self-dual pair attains g.
//
// Proof. T(Q, P) is the inverse of T(P, Q), and f⁻¹ is the hull of the points mirrored at the diagonal. g is convex,
// falls, and is its own inverse [Dong, Roth & Su 2022, Propositions 1 and 2.4].
//
// A step from one corner to the next is the test that rejects one more outcome, of the P-mass x_{i+1} − x_i and the
// Q-mass y_i − y_{i+1}. The rest of Q, 1 − g(0), has no mass under P. Slopes rise, so tests reject where Q/P is
// largest first.
func NewTradeOff(points []mechanism.TradeOffPoint) Finite {
	f, mirrored := make([]corner, len(points)), make([]corner, len(points))
	for i, p := range points {
		f[i], mirrored[i] = corner{p.Alpha, p.Beta}, corner{p.Beta, p.Alpha}
	}
	g := upper(lowerHull(f), lowerHull(mirrored))
	masses := []Mass{{new(big.Rat), new(big.Rat).Sub(ratOne, g[0].y)}}
	for i, b := range g[1:] {
		a := g[i]
		masses = append(masses, Mass{new(big.Rat).Sub(b.x, a.x), new(big.Rat).Sub(a.y, b.y)})
	}
	return FiniteOf(masses)
}

// lowerHull returns the corners of the greatest convex function that is at most y at each point, at most 1 at 0 and 0
// at 1 [Andrew 1979].
func lowerHull(points []corner) []corner {
	return convexHull(append(slices.Clone(points), corner{new(big.Rat), ratOne}, corner{ratOne, new(big.Rat)}))
}

// convexHull returns the corners of the greatest convex function that is at most y at each point. It sorts the points.
func convexHull(points []corner) []corner {
	slices.SortFunc(points, func(a, b corner) int {
		if c := a.x.Cmp(b.x); c != 0 {
			return c
		}
		return a.y.Cmp(b.y)
	})
	var hull []corner
	for _, p := range points {
		if n := len(hull); n > 0 && hull[n-1].x.Cmp(p.x) == 0 {
			continue // the lower one came first
		}
		for n := len(hull); n > 1 && hull[n-1].y.Cmp(chord(hull[n-2], p, hull[n-1].x)) >= 0; n-- {
			hull = hull[:n-1]
		}
		hull = append(hull, p)
	}
	return hull
}

// chord is the value at x of the line through two points.
func chord(a, c corner, x *big.Rat) *big.Rat {
	t := new(big.Rat).Sub(x, a.x)
	t.Quo(t, new(big.Rat).Sub(c.x, a.x))
	y := new(big.Rat).Sub(c.y, a.y)
	return y.Add(y.Mul(y, t), a.y)
}

// upper returns the corners of the greater of two such functions: its corners are among theirs and where they cross, at
// most once between neighbouring corners of both.
func upper(f, g []corner) []corner {
	var xs []*big.Rat
	for _, c := range slices.Concat(f, g) {
		xs = append(xs, c.x)
	}
	slices.SortFunc(xs, (*big.Rat).Cmp)
	xs = slices.CompactFunc(xs, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	fs, gs := along(f, xs), along(g, xs)
	var out []corner
	for i, x := range xs {
		if i > 0 {
			before, now := new(big.Rat).Sub(fs[i-1], gs[i-1]), new(big.Rat).Sub(fs[i], gs[i])
			if before.Sign()*now.Sign() < 0 {
				// The difference is linear: it is 0 at the share before/(before − now) of the way.
				share := before.Quo(before, new(big.Rat).Sub(before, now))
				at := new(big.Rat).Sub(x, xs[i-1])
				at.Add(at.Mul(at, share), xs[i-1])
				out = append(out, corner{at, chord(corner{xs[i-1], fs[i-1]}, corner{x, fs[i]}, at)})
			}
		}
		y := fs[i]
		if gs[i].Cmp(y) > 0 {
			y = gs[i]
		}
		out = append(out, corner{x, y})
	}
	return out
}

// along returns the values of a function at rising x, from its first corner to its last.
func along(f []corner, xs []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(xs))
	i := 1
	for k, x := range xs {
		for i < len(f)-1 && f[i].x.Cmp(x) < 0 {
			i++
		}
		out[k] = chord(f[i-1], f[i], x)
	}
	return out
}
