// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/allocation"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// allocationMethod: one random allocation, to one step by convex order, to more from below only, by the
// sum of what is seen in each step; see exact/allocation.
type allocationMethod struct{}

// allocationSettings sizes the lattices of ratios at an effort: P-mass beyond them counts in full.
func (s *solver) allocationSettings(e Effort) allocation.Settings {
	set := allocation.Settings{Points: 1 << (10 + min(e, 4)), Cut: 40 + 4*int(e)}
	if s.scale >= 0 {
		set.Cut = s.scale + 14 + 2*int(e)
	}
	words := 2
	for int(massBits(words)) < set.Cut+60 {
		words++
	}
	set.Prec = massBits(words)
	return set
}

func (allocationMethod) Plan(s *solver, prod pair.Product, e Effort) *plan {
	x, ok := pair.Single[pair.Allocation](prod)
	if !ok {
		return nil
	}
	set := s.allocationSettings(e)
	if x.Selected > 1 {
		return &plan{Cost: 2, Draft: Coarse, Prepare: func(ctx context.Context) (profile.Func, error) {
			l, ok, err := allocation.NewSubset(ctx, x.Base, x.Selected, x.Steps, set)
			if !ok {
				return nil, err
			}
			return l.Profile(x.Reversed), nil
		}}
	}
	return &plan{Cost: 0.3 + float64(set.Points)*2e-4, TwoSided: true, Draft: Coarse, Prepare: func(ctx context.Context) (profile.Func, error) {
		key := pair.Allocation{Base: x.Base, Selected: 1, Steps: x.Steps}.String()
		if l := s.laws[key]; l != nil {
			return l.Profile(x.Reversed), nil
		}
		l, ok, err := allocation.New(ctx, x.Base, x.Steps, set)
		if !ok {
			return nil, err
		}
		if s.laws == nil {
			s.laws = make(map[string]*allocation.Law)
		}
		s.laws[key] = l
		return l.Profile(x.Reversed), nil
	}}
}

// twoStepsMethod: one of two steps of a Gaussian, by an integral.
type twoStepsMethod struct{}

func (twoStepsMethod) Plan(_ *solver, prod pair.Product, e Effort) *plan {
	x, ok := pair.Single[pair.Allocation](prod)
	if !ok || x.Selected != 1 || x.Steps != 2 {
		return nil
	}
	g, ok := x.Base.(pair.Gaussian)
	if !ok {
		return nil
	}
	words := float64(e.Bits()) / 64
	return &plan{Cost: 0.02 * words, TwoSided: true, Sharp: true, Draft: Coarse, Prepare: ready(allocation.Two{Mu2: g.Mu2}.Profile(x.Reversed))}
}
