// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Dominates reports whether f dominates g, H_α(f) ≥ H_α(g) for every α ≥ 0 [Zhu, Dong & Wang 2022,
// Definition 7], and otherwise an α with H_α(f) < H_α(g). The profiles of finite pairs are
// linear between the ratios of their outcomes and constant after the last, so it is
// decided there: at the last ratio a of f, H_a(f) is the infinite mass of f, and H_a(g) is at
// least the infinite mass of g.
func Dominates(f, g pair.Finite) (bool, *big.Rat) {
	for _, h := range []pair.Finite{f, g} {
		for _, m := range h.Masses {
			if m.Q.Sign() == 0 {
				continue
			}
			if a := new(big.Rat).Quo(m.P, m.Q); f.Delta(a).Cmp(g.Delta(a)) < 0 {
				return false, a
			}
		}
	}
	return true, nil
}

// Undominated looks for an ε among those given at which g exceeds f for certain: there, f
// does not dominate g. That none is found proves nothing.
func Undominated(ctx context.Context, p interval.Prec, f, g Func, epsilons []*big.Rat) (*big.Rat, error) {
	for _, e := range epsilons {
		x, err := f(ctx, p, interval.RealRat(e))
		if err != nil {
			return nil, err
		}
		y, err := g(ctx, p, interval.RealRat(e))
		if err != nil {
			return nil, err
		}
		if x.Less(y) == interval.True {
			return e, nil
		}
	}
	return nil, nil
}

// Symmetrise returns the profile max(δ_{P|Q}, δ_{Q|P}) of the least pair that dominates both
// orientations, from the profile of (P, Q). It loses information: composed, it is above both of
// the orientations [Chourasia et al. 2024, Section 5]. Where one orientation is asked for,
// or all factors are oriented alike, compose first and take the maximum last.
func Symmetrise(profile Func) Func { return Max(profile, Reverse(profile)) }
