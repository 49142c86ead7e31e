// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/blanket"
	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Unamplified: random allocations and shuffled reports are at most as visible as without what hides the record.
//
// Beyond drafts, and for more than one factor, only where it costs next to nothing.
func Unamplified(s *Solver, prod pair.Product, _ Effort) *Plan {
	hidden, _ := blanket.Blanketed(prod)
	base, ok := pair.Unamplified(hidden)
	if !ok || s.Draft == Settled && (len(prod) > 1 || prod[0].Count > 1) && !HasClosedForm(base) {
		return nil
	}
	return s.oneSided(base, profile.FromAbove)
}

// Blocks: random allocations to several steps, from above by allocations to one step of a block each.
func Blocks(s *Solver, prod pair.Product, _ Effort) *Plan {
	blocks, ok := pair.Blocks(prod)
	if !ok {
		return nil
	}
	// Grids of little effort are far finer than blocks are near.
	p := s.atLowest().oneSided(blocks, profile.FromAbove)
	if p.Draft = Coarse; len(prod) == 1 && prod[0].Count == 1 {
		p.Cost = 1 // the allocation alone has better bounds
	}
	return p
}

// StepSum: the sum of all outputs of random allocations of Gaussian noise.
func StepSum(s *Solver, prod pair.Product, _ Effort) *Plan {
	if seen, ok := stepSums(prod); ok && HasClosedForm(seen) {
		return s.oneSided(seen, profile.FromBelow)
	}
	return nil
}

// stepSums replaces random allocations of Gaussian noise by the sum of all their outputs, a post-processing: N(kμ, t)
// against N(0, t), whichever steps the record is in. It reports false if there is none.
func stepSums(prod pair.Product) (pair.Product, bool) {
	var out pair.Product
	changed := false
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.OppositeAllocation: // N(μ, Steps) against N(−μ, Steps)
			t.Pair, changed = pair.Gaussian{Mu2: new(big.Rat).Mul(x.Mu2, big.NewRat(4, x.Steps))}, true
		case pair.Allocation:
			if g, ok := x.Base.(pair.Gaussian); ok {
				mu2 := new(big.Rat).Mul(g.Mu2, new(big.Rat).SetInt64(x.Selected))
				t.Pair, changed = pair.Gaussian{Mu2: mu2.Mul(mu2, big.NewRat(x.Selected, x.Steps))}, true
			}
		}
		out = append(out, t)
	}
	return out.Merged(), changed
}

// OneStep: the outputs of one step of a random allocation, a post-processing: its base, if the record is in it.
func OneStep(s *Solver, x pair.Allocation, _ Effort) *Plan {
	base := pair.Copies(x.Base, 1)
	if !HasClosedForm(base) {
		return nil
	}
	step := pair.Sampled{Rate: big.NewRat(x.Selected, x.Steps), Base: base, Reversed: x.Reversed}
	return s.oneSided(pair.Copies(step, 1), profile.FromBelow)
}

// oneSided bounds by the profile of another product, from one side.
func (s *Solver) oneSided(of pair.Product, bound func(...profile.Func) profile.Func) *Plan {
	return &Plan{Cost: 1e-3, Prepare: func(ctx context.Context) (profile.Func, error) {
		f, _, err := s.ProfileOf(ctx, of)
		return bound(f), err
	}}
}

// Part: a lower bound by parts of the product. Dropping a factor is a
// post-processing, so the profile of a part never exceeds the whole's.
func Part(s *Solver, prod pair.Product, _ Effort) *Plan {
	if len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	return &Plan{Cost: 1, Draft: Instant, Prepare: func(ctx context.Context) (profile.Func, error) {
		fs, err := s.profilesOf(ctx, closed.Parts(prod), nil)
		return profile.FromBelow(fs...), err
	}}
}

// Opposed: one truncated sample in which all other records are opposite, from below, by cells of
// the line.
func Opposed(_ *Solver, x pair.Opposed, e Effort) *Plan {
	return &Plan{Cost: 0.2, Prepare: func(context.Context) (profile.Func, error) {
		return profile.FromBelow(profile.Outcomes(x.Dominated(e.Bits()+32), interval.Interval{})), nil
	}}
}
