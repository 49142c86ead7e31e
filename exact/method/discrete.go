// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
)

// Enumeration: a product of discrete pairs with few outcomes.
func Enumeration(_ *Solver, prod pair.Product, e Effort) *Plan {
	if !prod.IsDiscrete() {
		return nil
	}
	// The outcomes of one pair cost little each, and no other method is as precise.
	limit, single := 1<<(14+min(e, 4)), len(prod) == 1 && prod[0].Count == 1
	if single {
		limit = 1 << (18 + min(e, 2))
	}
	n, ok := pair.CountOutcomes(prod, limit)
	if !ok {
		return nil
	}
	return &Plan{Cost: float64(n) * 20e-6 * (1 + float64(e.Bits())/512), TwoSided: true, Sharp: e > 0 && single,
		Prepare: func(ctx context.Context) (profile.Func, error) {
			os, rest, ok := pair.ProductOutcomes(prod, e.Bits()+32, limit)
			if !ok {
				return nil, nil
			}
			return profile.Outcomes(profile.Merged(e.Bits()+32, os), rest), nil
		}}
}

// latticeLimits bounds lattices at an effort.
func latticeLimits(e Effort) pld.Limits {
	return pld.Limits{Points: 1 << 18, Words: 1 << (18 + min(e, 4)), Terms: 1 << 12}
}

// Lattice: discrete pairs whose losses lie on lattices.
func Lattice(s *Solver, prod pair.Product, e Effort) *Plan {
	limits := latticeLimits(e)
	if x, serves := s.latticeInversion(prod); serves {
		const check = 1 << 10
		if limits.Points = check; x.Points() > check {
			return nil
		}
	}
	if !prod.IsDiscrete() || !pld.OnLattice(prod, limits) {
		return nil
	}
	// Lattices of more and more factors have less and less in common, and each is compared with all before it.
	factors := float64(len(prod)) / 125
	return &Plan{Cost: 0.2 * float64(int(1)<<e) * max(1, factors*factors), TwoSided: true, Sharp: true,
		Prepare: func(ctx context.Context) (profile.Func, error) {
			d, ok, err := pld.New(ctx, prod, massBits(int(e.Bits())/64), limits)
			if !ok {
				return nil, err
			}
			return d.Delta, nil
		}}
}

// LatticeInversion: compositions of discrete Gaussians, also beside pairs with few rational losses, by inversion over
// one period of the transform of their losses.
//
// What a sum takes depends on how the variances are related, and on the bits that are asked for. Where there
// would be too many nodes, what a sum says of fewer bits is a check of other methods.
func LatticeInversion(s *Solver, prod pair.Product, _ Effort) *Plan {
	x, serves := s.onLattice(prod)
	if x == nil {
		return nil
	}
	near := func(_ context.Context, delta *big.Rat) (*big.Rat, bool) { return x.Near(delta) }
	return &Plan{Cost: 0.005 * float64(len(prod)), TwoSided: serves, Sharp: true,
		Shortcuts: Shortcuts{Near: near, Deep: serves},
		Prepare: ready(
			func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				return x.Delta(ctx, linePrec(p, MaxDeep), eps)
			})}
}
