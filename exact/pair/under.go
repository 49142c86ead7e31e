// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import "math/big"

// Under returns the pair of the greatest profile that is at most the values at the α: their lower convex hull
// together with (0, 1) and a horizontal line at infinity. A profile that respects the points lies below each chord of
// the hull. The hull is above 1 − α if the points are.
func Under(alphas, values []*big.Rat) Finite {
	points := []Corner{{new(big.Rat), ratOne}}
	for i, a := range alphas {
		points = append(points, Corner{a, values[i]})
	}
	hull := ConvexHull(points)
	for len(hull) > 1 && hull[len(hull)-1].Y.Cmp(hull[len(hull)-2].Y) >= 0 {
		hull = hull[:len(hull)-1] // a profile does not rise
	}
	xs, ys := make([]*big.Rat, len(hull)), make([]*big.Rat, len(hull))
	for i, c := range hull {
		xs[i], ys[i] = c.X, c.Y
	}
	return FromProfile(xs, ys)
}
