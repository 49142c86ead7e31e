// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/selection"
)

// Places: the best of several runs, from above by the places that outputs may have; see exact/selection.
func Places(s *Solver, prod pair.Product, _ Effort) *Plan {
	return s.planRepeated(prod, (*selection.Repeated).Above)
}

// Orders: from below by orders of finitely many outputs. In a product an order is a finite pair.
func Orders(s *Solver, prod pair.Product, _ Effort) *Plan {
	if p := s.planRepeated(prod, (*selection.Repeated).Below); p != nil {
		return p
	}
	if worst, chosen := selection.Factors(prod); worst || !chosen {
		return nil
	}
	return &Plan{Cost: 0.24, Draft: ByMoments, Prepare: func(ctx context.Context) (profile.Func, error) {
		finite, ok, err := selection.InOrder(ctx, prod, s.oneInOrder)
		if !ok || err != nil {
			return nil, err
		}
		f, _, err := s.ProfileOf(ctx, finite)
		return profile.FromBelow(f), err
	}}
}

// planRepeated is the plan for one selection.
func (s *Solver) planRepeated(prod pair.Product,
	one func(*selection.Repeated, context.Context, interval.Prec, interval.Real) (interval.Interval, error)) *Plan {
	x, ok := pair.Single[pair.Repeated](prod)
	if !ok || x.Aim != nil {
		return nil
	}
	return &Plan{Cost: 0.2, Draft: Instant, Prepare: func(ctx context.Context) (profile.Func, error) {
		r, ok, err := s.newRepeated(ctx, x)
		if !ok || err != nil {
			return nil, err
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return one(r, ctx, p, eps)
		}, nil
	}}
}

// oneInOrder returns a finite pair that a selection of a chosen order dominates.
func (s *Solver) oneInOrder(ctx context.Context, x pair.Repeated) (pair.Pair, bool, error) {
	r, ok, err := s.newRepeated(ctx, x)
	if !ok || err != nil {
		return nil, false, err
	}
	low, ok := r.InOrder(x.Aim)
	return low, ok, nil
}

// Least is a δ that is next to nothing.
func (s *Solver) Least() *big.Rat { return interval.Pow2(-max(s.scale, 40) - 16) }

// newRepeated prepares a selection, once for the methods that ask for it.
func (s *Solver) newRepeated(ctx context.Context, x pair.Repeated) (*selection.Repeated, bool, error) {
	x.Aim = nil
	set := selection.Settings{Prec: s.Effort.Bits() + 64, Least: s.Least(), Losses: int64(96 + 48*min(int(s.Effort), 4))}
	of := func(ctx context.Context, prod pair.Product) (profile.Func, error) {
		f, _, err := s.ProfileOf(ctx, prod)
		return f, err
	}
	r, err := remembered.Of(&s.selections, x.String(), 1<<12, func() (*selection.Repeated, error) {
		r, _, err := selection.NewRepeated(ctx, x, set, of)
		return r, err
	})
	return r, r != nil && err == nil, err
}
