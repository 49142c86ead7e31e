// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/response"
)

// Rounded: unequal point guarantees whose ε_i lie on no common lattice, or on
// too fine a one, rounded to one from both sides; see [response.Rounded].
type Rounded struct{}

// roundedPoints is the length of the composed lattice at an effort.
func roundedPoints(e Effort) int64 { return 1 << (12 + min(e, 4)) }

func (Rounded) Plan(_ *Solver, prod pair.Product, e Effort) *Plan {
	gs, ok := guarantees(prod)
	if !ok || len(gs) < 2 {
		return nil
	}
	return &Plan{Cost: 0.1*float64(int(1)<<e) + 1e-3*float64(len(gs)), TwoSided: true,
		Prepare: func(ctx context.Context) (profile.Func, error) {
			upper, lower, ok := response.Rounded(gs, roundedPoints(e))
			if !ok {
				return nil, nil
			}
			up, ok, err := pld.New(ctx, responses(upper), massBits(int(e.Bits())/64), latticeLimits(e))
			if !ok {
				return nil, err
			}
			down, ok, err := pld.New(ctx, responses(lower), massBits(int(e.Bits())/64), latticeLimits(e))
			if !ok {
				return nil, err
			}
			return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
				hi, err := up.Delta(ctx, p, eps)
				if err != nil {
					return profile.Unit(), err
				}
				lo, err := down.Delta(ctx, p, eps)
				if err != nil {
					return profile.Unit(), err
				}
				return interval.Bounds(lo.Lo(), hi.Hi()), nil
			}, nil
		}}
}

// responses is the product of the worst mechanisms with these guarantees.
func responses(gs []response.Guarantee) pair.Product {
	out := make(pair.Product, len(gs))
	for i, g := range gs {
		out[i] = pair.Term{Pair: pair.Response{Eps: g.Eps, Delta: g.Delta}, Count: g.Count}
	}
	return out
}
