// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
)

// roundedMethod: unequal point guarantees whose ε_i lie on no common lattice, or on
// too fine a one. Approximate randomized response with a larger ε dominates and one
// with a smaller ε satisfies the guarantee, so rounding every ε_i up, or down, to
// multiples of one spacing bounds the composition from above, or below [after
// Murtagh & Vadhan 2016].
type roundedMethod struct{}

func (roundedMethod) Name() string { return "grid" }

// roundedPoints is the length of the composed lattice at an effort.
func roundedPoints(e Effort) int64 { return 1 << (12 + min(e, 4)) }

func (roundedMethod) Plan(_ *solver, prod pair.Product, e Effort) *plan {
	gs, ok := guarantees(prod)
	if !ok || len(gs) < 2 {
		return nil
	}
	return &plan{Cost: 0.1*float64(int(1)<<e) + 1e-3*float64(len(gs)), TwoSided: true, Prepare: func(ctx context.Context) (profile.Func, error) {
		// spacing = 2Σ count·ε_i / points
		spacing := new(big.Rat)
		for _, g := range gs {
			spacing.Add(spacing, new(big.Rat).Mul(g.Eps, new(big.Rat).SetInt64(2*g.Count)))
		}
		if spacing.Sign() == 0 {
			return nil, nil
		}
		spacing.Mul(spacing, big.NewRat(1, roundedPoints(e)))
		up, down := make(pair.Product, len(gs)), make(pair.Product, len(gs))
		for i, g := range gs {
			n := new(big.Rat).Quo(g.Eps, spacing)
			floor := new(big.Int).Quo(n.Num(), n.Denom())
			lo := new(big.Rat).SetInt(floor)
			hi := lo
			if lo.Cmp(n) < 0 {
				hi = new(big.Rat).SetInt(floor.Add(floor, big.NewInt(1)))
			}
			down[i] = pair.Term{Pair: pair.Response{Eps: new(big.Rat).Mul(lo, spacing), Delta: g.Delta}, Count: g.Count}
			up[i] = pair.Term{Pair: pair.Response{Eps: new(big.Rat).Mul(hi, spacing), Delta: g.Delta}, Count: g.Count}
		}
		upper, ok, err := pld.New(ctx, up, massBits(int(e.Bits())/64), latticeLimits(e))
		if !ok {
			return nil, err
		}
		lower, ok, err := pld.New(ctx, down, massBits(int(e.Bits())/64), latticeLimits(e))
		if !ok {
			return nil, err
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			hi, err := upper.Delta(ctx, p, eps)
			if err != nil {
				return profile.Unit(), err
			}
			lo, err := lower.Delta(ctx, p, eps)
			if err != nil {
				return profile.Unit(), err
			}
			return interval.Bounds(lo.Lo(), hi.Hi()), nil
		}, nil
	}}
}
