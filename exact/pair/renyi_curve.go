// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/mechanism"
)

// RenyiCurve stands for every pair with R_α ≤ Values[i] at α = Orders[i] > 0 in both
// orientations. It is a guarantee, not a pair. The values do not fall.
type RenyiCurve struct {
	guarantee
	Orders, Values []*big.Rat
}

// NewRenyiCurve lowers each value to the bound that the others imply. R_α rises with α [van Erven & Harremoës 2014,
// Theorem 3], so R_α ≤ R_β ≤ Values[j] at β = Orders[j] ≥ α. And (α − 1)·R_α = log M(α) is convex [ibid., Corollary
// 2], and at most 0 at α = 1. So beyond 1 it is below each chord of (1, 0) and the values at orders above 1.
func NewRenyiCurve(e mechanism.RenyiCurve) RenyiCurve {
	values := slices.Clone(e.Values)
	for i := len(values) - 2; i >= 0; i-- {
		if values[i+1].Cmp(values[i]) < 0 {
			values[i] = values[i+1]
		}
	}
	points := []Corner{{ratOne, new(big.Rat)}}
	for i, a := range e.Orders {
		if b := new(big.Rat).Sub(a, ratOne); b.Sign() > 0 {
			points = append(points, Corner{a, b.Mul(b, values[i])})
		}
	}
	hull := ConvexHull(points)
	for i, a := range e.Orders {
		for len(hull) > 1 && hull[1].X.Cmp(a) < 0 {
			hull = hull[1:]
		}
		if b := new(big.Rat).Sub(a, ratOne); b.Sign() > 0 && hull[1].X.Cmp(a) > 0 {
			values[i] = b.Quo(chord(hull[0], hull[1], a), b)
		}
	}
	return RenyiCurve{Orders: e.Orders, Values: values}
}

func (r RenyiCurve) String() string {
	return fmt.Sprintf("RenyiCurve(%s; %s)", ratList(r.Orders), ratList(r.Values))
}

// Reverse is the pair itself: it holds for both orientations.
func (r RenyiCurve) Reverse() Pair { return r }
func (RenyiCurve) reach() reach    { return unknownReach() }
