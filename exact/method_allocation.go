// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/allocation"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// allocationMethod: one random allocation, to one step by convex order, to more by a sum of what is seen in each step and
// its second moment, the reverse from below only; see exact/allocation.
type allocationMethod struct{}

// allocationSettings sizes grids of ratios at an effort: P-mass beyond them counts in full.
func (s *solver) allocationSettings(e Effort) allocation.Settings {
	set := allocation.Settings{Points: 1 << (12 + min(e, 2)), Cut: 40 + 4*int(e)}
	if s.scale >= 0 {
		set.Cut = s.scale + 14 + 2*int(e)
	}
	set.Prec = massBits(max(wordsFor(set.Cut+60), 2))
	return set
}

func (allocationMethod) Plan(s *solver, prod pair.Product, e Effort) *plan {
	x, ok := pair.Single[pair.Allocation](prod)
	if !ok {
		return nil
	}
	set := s.allocationSettings(e)
	if x.Selected > 1 {
		set.Fine = min(int(e), 4)
		l, ok, err := allocation.NewSubset(context.Background(), x.Base, x.Selected, x.Steps, set)
		if !ok || err != nil {
			return nil
		}
		return &plan{Cost: 2, TwoSided: !x.Reversed, Draft: Coarse, Prepare: ready(l.Profile(x.Reversed)), Shortcuts: Shortcuts{Near: l.Near(x.Reversed)}}
	}
	return &plan{Cost: 0.3 + float64(set.Points)*2e-4, TwoSided: true, Draft: Coarse, Prepare: func(ctx context.Context) (profile.Func, error) {
		l, ok, err := s.laws.Get(ctx, x.Base, x.Steps, set)
		if !ok {
			return nil, err
		}
		return l.Profile(x.Reversed), nil
	}}
}

// twoStepsMethod: one of two steps of a Gaussian, by an integral.
type twoStepsMethod struct{}

func (twoStepsMethod) Plan(_ *solver, prod pair.Product, e Effort) *plan {
	x, _ := pair.Single[pair.Allocation](prod)
	g, ok := x.Base.(pair.Gaussian)
	if !ok || x.Selected != 1 || x.Steps != 2 {
		return nil
	}
	words := float64(e.Bits()) / 64
	return &plan{Cost: 0.02 * words, TwoSided: true, Sharp: true, Draft: Coarse, Prepare: ready(allocation.Two{Mu2: g.Mu2}.Profile(x.Reversed))}
}
