// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact/pair"
)

// A Point is H(Alpha) = Value, or an upper bound of it.
type Point struct{ Alpha, Value *big.Rat }

// Hull returns the largest pair whose profile respects the upper bounds H(α_i) ≤ v_i: HS(h)
// [Zhu, Dong & Wang 2022, Corollary 26], the lower convex hull of (0, 1), the points and a
// horizontal line at infinity. Every profile below the points is below it.
//
// It reports false if no profile respects the bounds: one of them is below (1 − α)₊.
func Hull(points []Point) (pair.Finite, bool) {
	ps := []Point{{new(big.Rat), big.NewRat(1, 1)}}
	for _, x := range points {
		low := new(big.Rat).Sub(ratOne, x.Alpha)
		if low.Sign() < 0 {
			low.SetInt64(0)
		}
		if x.Alpha.Sign() < 0 || x.Value.Cmp(low) < 0 {
			return pair.Finite{}, false
		}
		if x.Alpha.Sign() > 0 {
			ps = append(ps, x)
		}
	}
	slices.SortFunc(ps, func(a, b Point) int {
		if c := a.Alpha.Cmp(b.Alpha); c != 0 {
			return c
		}
		return a.Value.Cmp(b.Value)
	})
	var hull []Point
	for _, x := range ps {
		n := len(hull)
		if n > 0 && (hull[n-1].Alpha.Cmp(x.Alpha) == 0 || x.Value.Cmp(hull[n-1].Value) >= 0) {
			continue // above another bound at the same α, or above the horizontal line
		}
		for n = len(hull); n > 1 && chord(hull[n-2], hull[n-1]).Cmp(chord(hull[n-1], x)) >= 0; n-- {
			hull = hull[:n-1]
		}
		hull = append(hull, x)
	}
	return interpolate(hull), true
}

// chord is the slope from a to b.
func chord(a, b Point) *big.Rat {
	d := new(big.Rat).Sub(b.Value, a.Value)
	return d.Quo(d, new(big.Rat).Sub(b.Alpha, a.Alpha))
}

// interpolate returns the pair whose profile is linear between points with rising slopes,
// from (0, 1), and constant after the last: Q has the jump of the slope as its mass at
// each α and P has α times that [ibid., Lemma 9].
func interpolate(ps []Point) pair.Finite {
	slope := func(i int) *big.Rat {
		if i == len(ps)-1 {
			return new(big.Rat)
		}
		return chord(ps[i], ps[i+1])
	}
	p, q := []*big.Rat{ps[len(ps)-1].Value}, []*big.Rat{new(big.Rat)}
	for i := 1; i < len(ps); i++ {
		jump := new(big.Rat).Sub(slope(i), slope(i-1))
		p, q = append(p, new(big.Rat).Mul(ps[i].Alpha, jump)), append(q, jump)
	}
	p, q = append(p, new(big.Rat)), append(q, new(big.Rat).Add(ratOne, slope(0)))
	return pair.NewFinite(p, q)
}

// A MembershipError says why points are not the points of a profile.
type MembershipError struct {
	Alpha  *big.Rat // where
	Reason string
}

func (e *MembershipError) Error() string {
	return fmt.Sprintf("profile: H(%s) %s", e.Alpha.RatString(), e.Reason)
}

// Interpolate returns the pair whose profile is H(α_i) = v_i at the points, linear between
// them and constant after the last. There is a profile through the points if and only
// if it is one [Zhu, Dong & Wang 2022, Lemma 9]: convex, falling, 1 at α = 0 and at least
// (1 − α)₊; otherwise the error is a *MembershipError.
//
// Requires: the α rise.
func Interpolate(points []Point) (pair.Finite, error) {
	ps := points
	fail := func(x Point, reason string) (pair.Finite, error) {
		return pair.Finite{}, &MembershipError{x.Alpha, reason}
	}
	if len(ps) == 0 || ps[0].Alpha.Sign() > 0 {
		ps = append([]Point{{new(big.Rat), big.NewRat(1, 1)}}, ps...)
	}
	for i, x := range ps {
		low := new(big.Rat).Sub(ratOne, x.Alpha)
		switch {
		case i == 0 && (x.Alpha.Sign() != 0 || x.Value.Cmp(ratOne) != 0):
			return fail(x, "is not 1 at 0")
		case i > 0 && x.Alpha.Cmp(ps[i-1].Alpha) <= 0:
			return fail(x, "is not in rising order")
		case x.Value.Sign() < 0 || x.Value.Cmp(low) < 0:
			return fail(x, "is below (1 − α)₊")
		case i > 0 && x.Value.Cmp(ps[i-1].Value) > 0:
			return fail(x, "rises")
		case i > 1 && chord(ps[i-2], ps[i-1]).Cmp(chord(ps[i-1], x)) > 0:
			return fail(ps[i-1], "is above the chord of its neighbours")
		}
	}
	return interpolate(ps), nil
}
