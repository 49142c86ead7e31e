// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"cmp"
	"context"
	"math/big"

	"dpverify/exact/adversary"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/mechanism/argument"
)

// A Policy says what the worst run of a composition with a choice does.
type Policy struct {
	adversary.Policy
	// Choices are what a step may be, P against Q, and After what runs after the steps.
	Choices []pair.Product
	After   pair.Product
	// Delta encloses the δ(ε) of the run from below: its lower end is attained.
	Delta interval.Interval
}

// PolicyAt returns the policy of the greatest δ(eps) that is found, nil if the event has no choice that neighbours
// attain.
func PolicyAt(ctx context.Context, q Question, eps *big.Rat, e Effort) (*Policy, error) {
	if err := cmp.Or(e.Check(), argument.Number("epsilon", eps, nil, nil)); err != nil {
		return nil, err
	}
	ctx = q.limit(ctx)
	prob, _, err := meaning.ResolveProfile(q.Event, q.Relation, q.Direction)
	if err != nil {
		return nil, err
	}
	s := method.NewSolver(method.All, e, q.Scale)
	s.Memo = q.Memo
	var best *Policy
	for _, steps := range prob.Steps(q.Direction) {
		x, err := policyOf(ctx, s, steps, eps)
		if err != nil {
			return nil, err
		}
		if x != nil && (best == nil || best.Delta.Lo().Cmp(x.Delta.Lo()) < 0) {
			best = x
		}
	}
	return best, nil
}

// policyOf is nil where nothing is known to be attained.
func policyOf(ctx context.Context, s *method.Solver, steps meaning.Steps, eps *big.Rat) (*Policy, error) {
	out := &Policy{Choices: steps.Of, After: steps.After}
	if !steps.Attained {
		return nil, nil
	}
	if family, ok := finiteFamily(steps); ok {
		if x, delta, ok := adversary.EnumeratePolicy(ctx, family, steps.Count, maxWays<<min(2*s.Effort, 8),
			s.Effort.Bits(), eps); ok {
			out.Policy, out.Delta = x, delta
			return out, nil
		}
	}
	only := steps
	only.Bounded, only.Before = false, nil
	b, err := inducedBounds(ctx, s, only, true)
	if b == nil || err != nil {
		return nil, err
	}
	x, ok := b.Policy(eps)
	if !ok {
		return nil, nil
	}
	out.Policy = x
	out.Delta, err = b.Below(ctx, s.Effort.Bits(), interval.RealRat(eps))
	return out, err
}
