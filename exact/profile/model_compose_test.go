// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// Compose returns the profile of the product of a pair with profile f and a pair with
// profile g,
//
//	δ = f ⊛ (g″ − g′) + m, m = lim_{ε→∞} g(ε)
//
// [Chourasia et al. 2024, Theorem 4.2, corrected by the mass m of infinite loss], with the
// law of the second pair enclosed at the given α = e^ε, which must rise: above, by the
// largest profile through the upper bounds of g there (see Hull), which dominates it; below,
// as dropping either factor is a post-processing, by the greater of f and g. The upper
// bound shrinks to the truth as the α become dense.
func Compose(f, g Func, alphas []*big.Rat) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 16
		lower, err := Max(f, g)(ctx, w, eps)
		if err != nil {
			return unit, err
		}
		var points []Point
		for _, a := range alphas {
			d, err := g(ctx, w, logOf(a))
			if err != nil {
				return unit, err
			}
			v, finite := d.UpperRat()
			if !finite {
				continue
			}
			points = append(points, Point{a, v})
		}
		hull, ok := Hull(points)
		if !ok {
			panic("profile: internal error: a profile below the profile of equal distributions")
		}
		os, rest, ok := hull.Outcomes(w, len(hull.Masses))
		if !ok {
			panic("profile: internal error: a finite pair without outcomes")
		}
		upper, err := Times(f, os, rest)(ctx, w, eps)
		if err != nil {
			return unit, err
		}
		return p.Round(interval.Bounds(lower.Lo(), interval.Max(lower, upper).Hi())), nil
	}
}
