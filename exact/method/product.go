// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"slices"

	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
)

// Product: a product of continuous pairs with a closed form and discrete
// pairs, δ(ε) = Σ_j P_j·δ₀(ε − L_j).
func Product(s *Solver, prod pair.Product, e Effort) *Plan {
	continuous, discrete := prod.SplitDiscrete()
	if len(continuous) == 0 || len(discrete) == 0 || !HasClosedForm(continuous) {
		return nil
	}
	limit := 1 << (10 + min(e, 4)) // of the values of δ₀ that one δ takes
	n, small := pair.CountOutcomes(discrete, limit)
	if !small {
		n = limit
		if !pld.OnLattice(discrete, latticeLimits(e)) {
			return nil
		}
	}
	return &Plan{Cost: float64(n) * 1e-3, TwoSided: true, Prepare: func(ctx context.Context) (profile.Func, error) {
		base, _, err := s.ProfileOf(ctx, continuous)
		if err != nil {
			return nil, err
		}
		p := e.Bits() + 32
		if small {
			os, rest, ok := pair.ProductOutcomes(discrete, p, limit)
			if !ok {
				return nil, nil
			}
			return profile.Times(base, os, rest), nil
		}
		d, ok, err := pld.New(ctx, discrete, massBits(int(e.Bits())/64), latticeLimits(e))
		if !ok {
			return nil, err
		}
		os, rest, ok := d.Outcomes(p, 16*limit)
		if !ok {
			return nil, nil
		}
		return profile.Times(base, os, rest), nil
	}}
}

// HasClosedForm reports whether a closed form covers prod.
func HasClosedForm(prod pair.Product) bool {
	for _, m := range []Method{Gaussian, Laplace, Noise} {
		if m(nil, prod, 0) != nil {
			return true
		}
	}
	if x, ok := pair.Single[pair.Sampled](prod); ok {
		return HasClosedForm(x.Base)
	}
	x, ok := pair.Single[pair.Mean](prod)
	return ok && !slices.ContainsFunc(x.Of, func(p pair.Product) bool { return len(p) > 0 && !HasClosedForm(p) })
}
