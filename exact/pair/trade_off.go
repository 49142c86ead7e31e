// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"slices"

	"dpverify/mechanism"
)

// A Corner is a point of a function that is linear between its corners: of a trade-off function (α, f(α)), from α = 0
// to α = 1, or of a profile.
type Corner struct{ X, Y *big.Rat }

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
	f, mirrored := make([]Corner, len(points)), make([]Corner, len(points))
	for i, p := range points {
		f[i], mirrored[i] = Corner{p.Alpha, p.Beta}, Corner{p.Beta, p.Alpha}
	}
	g := upper(lowerHull(f), lowerHull(mirrored))
	masses := []Mass{{new(big.Rat), new(big.Rat).Sub(ratOne, g[0].Y)}}
	for i, b := range g[1:] {
		a := g[i]
		masses = append(masses, Mass{new(big.Rat).Sub(b.X, a.X), new(big.Rat).Sub(a.Y, b.Y)})
	}
	return FiniteOf(masses)
}

// lowerHull returns the corners of the greatest convex function that is at most y at each point, at most 1 at 0 and 0
// at 1 [Andrew 1979].
func lowerHull(points []Corner) []Corner {
	return ConvexHull(append(slices.Clone(points), Corner{new(big.Rat), ratOne}, Corner{ratOne, new(big.Rat)}))
}

// ConvexHull returns the corners of the greatest convex function that is at most Y at each point. It sorts the points.
func ConvexHull(points []Corner) []Corner {
	slices.SortFunc(points, func(a, b Corner) int {
		if c := a.X.Cmp(b.X); c != 0 {
			return c
		}
		return a.Y.Cmp(b.Y)
	})
	var hull []Corner
	for _, p := range points {
		if n := len(hull); n > 0 && hull[n-1].X.Cmp(p.X) == 0 {
			continue // the lower one came first
		}
		for n := len(hull); n > 1 && hull[n-1].Y.Cmp(chord(hull[n-2], p, hull[n-1].X)) >= 0; n-- {
			hull = hull[:n-1]
		}
		hull = append(hull, p)
	}
	return hull
}

// chord is the value at x of the line through two points.
func chord(a, c Corner, x *big.Rat) *big.Rat {
	t := new(big.Rat).Sub(x, a.X)
	t.Quo(t, new(big.Rat).Sub(c.X, a.X))
	y := new(big.Rat).Sub(c.Y, a.Y)
	return y.Add(y.Mul(y, t), a.Y)
}

// upper returns the corners of the greater of two such functions: its corners are among theirs and where they cross, at
// most once between neighbouring corners of both.
func upper(f, g []Corner) []Corner {
	var xs []*big.Rat
	for _, c := range slices.Concat(f, g) {
		xs = append(xs, c.X)
	}
	slices.SortFunc(xs, (*big.Rat).Cmp)
	xs = slices.CompactFunc(xs, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	fs, gs := along(f, xs), along(g, xs)
	var out []Corner
	for i, x := range xs {
		if i > 0 {
			before, now := new(big.Rat).Sub(fs[i-1], gs[i-1]), new(big.Rat).Sub(fs[i], gs[i])
			if before.Sign()*now.Sign() < 0 {
				// The difference is linear: it is 0 at the share before/(before − now) of the way.
				share := before.Quo(before, new(big.Rat).Sub(before, now))
				at := new(big.Rat).Sub(x, xs[i-1])
				at.Add(at.Mul(at, share), xs[i-1])
				out = append(out, Corner{at, chord(Corner{xs[i-1], fs[i-1]}, Corner{x, fs[i]}, at)})
			}
		}
		y := fs[i]
		if gs[i].Cmp(y) > 0 {
			y = gs[i]
		}
		out = append(out, Corner{x, y})
	}
	return out
}

// along returns the values of a function at rising x, from its first corner to its last.
func along(f []Corner, xs []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(xs))
	i := 1
	for k, x := range xs {
		for i < len(f)-1 && f[i].X.Cmp(x) < 0 {
			i++
		}
		out[k] = chord(f[i-1], f[i], x)
	}
	return out
}
