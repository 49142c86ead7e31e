// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/allocation"
	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// allocationSettings sizes grids of ratios at an effort: P-mass beyond them counts in full.
func (s *Solver) allocationSettings(e Effort) allocation.Settings {
	set := allocation.Settings{Points: 1 << (12 + min(e, 2)), Cut: 40 + 4*int(e)}
	if s.coarse {
		set.Points >>= 2
	}
	if s.scale >= 0 {
		set.Cut, set.Scale = s.scale+14+2*int(e), s.scale
	}
	set.Prec = massBits(max(wordsFor(set.Cut+60), 2))
	return set
}

// Allocation: one random allocation, to one step by convex order, to more by a sum of what is seen in each step and
// its second moment, the reverse from below only; see exact/allocation.
func Allocation(s *Solver, x pair.Allocation, e Effort) *Plan {
	set := s.allocationSettings(e)
	if x.Selected > 1 {
		set.Fine, set.Cut = min(1+int(e), 4), set.Cut+4
		prepare := func(ctx context.Context) (profile.Func, error) {
			l, ok, err := s.laws.Several(ctx, x, set)
			if !ok {
				return nil, err
			}
			return l.Profile(x.Reversed), nil
		}
		near := func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
			l, ok, _ := s.laws.Several(ctx, x, set)
			if !ok {
				return nil, false
			}
			return l.Near(delta, x.Reversed)
		}
		return &Plan{Cost: 2, TwoSided: !x.Reversed, Slow: true, Draft: Coarse, Prepare: prepare,
			Shortcuts: Shortcuts{Near: near}}
	}
	return &Plan{Cost: allocation.GridCost(set.Points, x.Steps), TwoSided: true, Slow: e > 0, Draft: Coarse,
		Prepare: func(ctx context.Context) (profile.Func, error) {
			l, ok, err := s.laws.Get(ctx, x.Base, x.Steps, set)
			if !ok {
				return nil, err
			}
			return l.Profile(x.Reversed), nil
		}}
}

// Exchange: one of the steps of Gaussian noise, of a record that is replaced by the opposite one.
func Exchange(_ *Solver, x pair.OppositeAllocation, e Effort) *Plan {
	bits := e.Bits()
	if e == 0 {
		bits = 40 // 12 digits, in three words
	}
	of := allocation.NewOpposite(x.Mu2, x.Steps).Profile()
	f := func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return of(ctx, min(p, bits), eps) // grids ask for more than they can use
	}
	near := func(_ context.Context, delta *big.Rat) (*big.Rat, bool) {
		return allocation.Near(x.Mu2, x.Steps, 2, delta)
	}
	return &Plan{Cost: 0.3 * float64(bits) / 64, TwoSided: true, Sharp: true, Draft: Coarse, Prepare: ready(f),
		Shortcuts: Shortcuts{Near: near}}
}

// MeanOfRatios: one of the steps of a Gaussian, by the transform of a sum of lognormal variables.
func MeanOfRatios(s *Solver, x pair.Allocation, e Effort) *Plan {
	if s.coarse {
		return nil
	}
	g, ok := x.Base.(pair.Gaussian)
	if !ok || x.Selected != 1 {
		return nil
	}
	mean := s.laws.Mean(g.Mu2, x.Steps)
	cost := func(bits interval.Prec) float64 {
		const contours = 2 // of a search
		return contours * mean.Cost(g.Mu2, bits, max(s.scale, 10), x.Reversed)
	}
	const first = 48 // 12 digits, in three words
	bits := interval.Prec(first)
	// Grids may have the first digits for less: then these wait for the next effort.
	late := cost(first) > max(2, allocation.GridCost(s.allocationSettings(0).Points, x.Steps))
	if e > 1 || e == 1 && !late {
		bits = e.Bits()
	}
	of := mean.Profile(x.Reversed)
	if s.scale >= 0 {
		of = mean.ProfileFrom(s.scale+int(bits), x.Reversed)
	}
	f := func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return of(ctx, min(p, bits), eps)
	}
	words := float64(e.Bits()) / 64
	return &Plan{Cost: max(0.2*words, cost(bits)), TwoSided: true, Sharp: e > 0 || !late, Draft: Coarse,
		Prepare: ready(f)}
}

// LargestRatio: one of the steps of a Gaussian with little noise, by the largest of the ratios.
func LargestRatio(_ *Solver, x pair.Allocation, _ Effort) *Plan {
	g, ok := x.Base.(pair.Gaussian)
	if !ok || x.Selected != 1 {
		return nil
	}
	l := allocation.NewLargest(g.Mu2, x.Steps, closed.GaussianDelta(g.Mu2))
	near := func(_ context.Context, delta *big.Rat) (*big.Rat, bool) {
		if x.Reversed {
			return nil, false
		}
		return allocation.Near(g.Mu2, x.Steps, 1, delta)
	}
	return &Plan{Cost: 1e-3, Prepare: ready(l.Profile(x.Reversed)), Shortcuts: Shortcuts{Near: near}}
}
