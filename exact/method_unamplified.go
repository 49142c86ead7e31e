// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// unamplifiedMethod: random allocations and shuffled reports are at most as visible as without what hides the record.
type unamplifiedMethod struct{}

// Plan: beyond drafts, and for more than one factor, only where it costs next to nothing.
func (unamplifiedMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	base, ok := pair.Unamplified(prod)
	if !ok || s.draft == Settled && (len(prod) > 1 || prod[0].Count > 1) && !hasClosedForm(base) {
		return nil
	}
	return s.oneSided(base, profile.FromAbove)
}

// blocksMethod: random allocations to several steps, from above by allocations to one step of a block each.
type blocksMethod struct{}

func (blocksMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	blocks, ok := pair.Blocks(prod)
	if !ok {
		return nil
	}
	p := s.oneSided(blocks, profile.FromAbove)
	if p.Draft = Coarse; len(prod) == 1 && prod[0].Count == 1 {
		p.Cost = 1 // the allocation alone has better bounds
	}
	return p
}

// stepSumMethod: the sum of all outputs of random allocations of Gaussian noise.
type stepSumMethod struct{}

func (stepSumMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if seen, ok := pair.StepSums(prod); ok && hasClosedForm(seen) {
		return s.oneSided(seen, profile.FromBelow)
	}
	return nil
}

// oneStepMethod: the outputs of one step of a random allocation.
type oneStepMethod struct{}

func (oneStepMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.Allocation](prod)
	if !ok || !hasClosedForm(pair.Product{{Pair: x.Base, Count: 1}}) {
		return nil
	}
	return s.oneSided(pair.Product{{Pair: x.OneStep(), Count: 1}}, profile.FromBelow)
}

// oneSided bounds by the profile of another product, from one side.
func (s *solver) oneSided(of pair.Product, bound func(...profile.Func) profile.Func) *plan {
	return &plan{Cost: 1e-3, Prepare: func(ctx context.Context) (profile.Func, error) {
		f, _, err := s.profileOf(ctx, of)
		return bound(f), err
	}}
}

// partMethod: a lower bound by parts of the product. Dropping a factor is a
// post-processing, so the profile of a part never exceeds the whole's.
type partMethod struct{}

func (partMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	return &plan{Cost: 1, Draft: Instant, Prepare: func(ctx context.Context) (profile.Func, error) {
		fs, err := s.profilesOf(ctx, closed.Parts(prod), nil)
		return profile.FromBelow(fs...), err
	}}
}

// opposedMethod: one truncated sample in which all other records are opposite, from below, by cells of
// the line.
type opposedMethod struct{}

func (opposedMethod) Plan(_ *solver, prod pair.Product, e Effort) *plan {
	x, ok := pair.Single[pair.Opposed](prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 0.2, Prepare: func(context.Context) (profile.Func, error) {
		return profile.FromBelow(profile.Outcomes(x.Dominated(e.Bits()+32), interval.Interval{})), nil
	}}
}
