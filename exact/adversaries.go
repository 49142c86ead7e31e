// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/adversary"
	"dpverify/exact/candidates"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// inductionName names the answers of backward induction.
const inductionName = "backward-induction"

// inductions are the bounds of compositions with choices, for each orientation, remembered for both sides. There are
// none where it does not apply to one of them.
func (p *prepared) inductions(ctx context.Context) ([]induction, error) {
	if p.induced || p.solver.Draft != method.Settled {
		return p.induction, nil
	}
	p.induced = true
	if steps, ok := selectionsOf(p.problem); ok {
		return p.selected(ctx, steps)
	}
	if c, ok := vectorsOf(p.problem); ok {
		p.chosen, p.induction = c, []induction{{p.problem.Dominating(), c.Profile, c.Profile}}
		return p.induction, nil
	}
	var all []induction
	for _, steps := range p.problem.Steps(p.direction) {
		x, err := induce(ctx, p.solver, steps)
		if x == nil || err != nil {
			return nil, err
		}
		all = append(all, *x)
	}
	p.induction = all
	return all, nil
}

// selected is the induction of steps that are selections.
func (p *prepared) selected(ctx context.Context, steps selections) ([]induction, error) {
	delta := settings(p.solver, steps.count).Delta
	g, ok := candidates.GridOf(steps.of, steps.epsilon, steps.count, delta, int64(maxSteps/2)<<min(2*p.solver.Effort, 5))
	if !ok {
		return nil, nil
	}
	b, err := candidates.NewSelected(ctx, steps.of, steps.epsilon, steps.count, g)
	if err != nil {
		return nil, err
	}
	p.induction = []induction{{p.problem.Dominating(), b.Above, b.Below}}
	return p.induction, nil
}

// maxWays bounds the ways that are enumerated at effort 0, and maxSteps the numbers that an induction on a grid takes.
const maxWays, maxSteps = 1 << 14, 1 << 28

// maxChoices bounds a family.
const maxChoices = 16

// induce is nil where it does not apply.
func induce(ctx context.Context, s *method.Solver, steps meaning.Steps) (*induction, error) {
	out := &induction{prod: steps.Product}
	if f, ok := enumerated(ctx, steps, maxWays<<min(2*s.Effort, 8)); ok {
		if steps.Bounded {
			out.above = f
		}
		if steps.Attained {
			out.below = f
		}
		return out, nil
	}
	b, err := inducedBounds(ctx, s, steps, false)
	if b == nil || err != nil {
		return nil, err
	}
	if steps.Bounded || steps.Records != nil {
		out.above = b.Above
	}
	if steps.Attained {
		out.below = b.Below
	}
	return out, nil
}

// inducedBounds are bounds on a grid, nil where there are none.
func inducedBounds(ctx context.Context, s *method.Solver, steps meaning.Steps, policy bool) (*adversary.Bounds,
	error) {
	set := settings(s, steps.Count)
	set.Policy = policy
	of := len(steps.Of)
	if steps.Records != nil {
		of, set.Length = adversary.RecordMoves, 2*set.Length
	}
	work := steps.Count * int64(of)
	if len(steps.Of) > maxChoices || work > (maxSteps<<s.Effort)/int64(set.Length) || steps.Before.IsGuarantee() {
		return nil, nil
	}
	one := func(prod pair.Product) (*adversary.Pair, bool, error) {
		f, sol, err := s.ProfileOf(ctx, prod)
		m, _ := pair.InfMass(prod)
		return &adversary.Pair{Profile: f, Infinite: m}, err == nil && sol.TwoSided, err
	}
	prob := adversary.Problem{Steps: steps.Count}
	choices := steps.Of
	if r := steps.Records; r != nil { // of which Of are the ends
		prob.Records = &adversary.Records{Rate: r.Rate, Mu2: r.Mu2}
		if choices = nil; steps.Attained {
			prob.Ends = prob.Records
		}
	}
	for _, prod := range choices {
		x, ok, err := one(prod)
		if !ok || err != nil {
			return nil, err
		}
		if steps.Bounded {
			prob.Above = append(prob.Above, x)
		}
		if steps.Attained {
			prob.Below = append(prob.Below, x)
		}
	}
	for _, beside := range []struct {
		prod pair.Product
		at   **adversary.Pair
	}{{steps.Before, &prob.Before}, {steps.After, &prob.After}} {
		if len(beside.prod) == 0 {
			continue
		}
		x, ok, err := one(beside.prod)
		if !ok || err != nil {
			return nil, err
		}
		*beside.at = x
	}
	if policy {
		prob.Above, prob.Records = nil, nil // from below only
	}
	b, ok, err := adversary.Solve(ctx, prob, set)
	if !ok || s.Refuses(inductionName, err) {
		return nil, nil
	}
	return b, err
}

// enumerated is the profile of steps with nothing beside them, each of them one of some finite pairs.
func enumerated(ctx context.Context, steps meaning.Steps, limit int) (profile.Func, bool) {
	family, ok := finiteFamily(steps)
	if !ok {
		return nil, false
	}
	return adversary.Enumerate(ctx, family, steps.Count, limit)
}

// finiteFamily reports false where a step is not one of some finite pairs, with nothing beside.
func finiteFamily(steps meaning.Steps) (family []adversary.Finite, ok bool) {
	if len(steps.Before) > 0 {
		return nil, false
	}
	for _, prod := range steps.Of {
		f, ok := pair.Single[pair.Finite](prod)
		if !ok {
			return nil, false
		}
		var x adversary.Finite
		for _, m := range f.Masses {
			x.P, x.Q = append(x.P, m.P), append(x.Q, m.Q)
		}
		family = append(family, x)
	}
	return family, true
}

// settings sizes grids.
func settings(s *method.Solver, steps int64) adversary.Settings {
	set := adversary.Settings{Length: 1 << (12 + min(int(s.Effort), 4)), Delta: interval.Pow2(-30)}
	if s.Scale() >= 0 {
		set.Delta = interval.Pow2(-s.Scale())
	}
	set.Cut = max(s.Scale(), 30) + 8 + big.NewInt(steps).BitLen()
	set.Prec = interval.Prec(set.Cut + 64)
	return set
}

// adversaries bound a composition from above by backward induction, see package adversary.
func adversaries(ctx context.Context, p *prepared, _ meaning.Bounds[pair.Product]) (out []method.Bound, err error) {
	all, err := p.inductions(ctx)
	for _, x := range all {
		if x.above == nil {
			return nil, err
		}
		sol := &method.Solution{Prod: x.prod}
		sol.Add(method.Used{Name: inductionName, From: method.BothSides, F: x.above})
		out = append(out, method.Bound{Prod: x.prod, Sol: sol, Upper: true})
	}
	return out, err
}

// policies bound it from below: at each ε by one of them, so that nothing is said of tests.
func policies(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) (out []method.Bound, err error) {
	if len(bs.Lower) == 0 {
		return nil, nil
	}
	all, err := p.inductions(ctx)
	for _, x := range all {
		if x.below == nil {
			continue
		}
		sol := &method.Solution{Prod: bs.Lower[0]}
		sol.Add(method.Used{Name: inductionName, From: method.BothSides, F: x.below})
		out = append(out, method.Bound{Prod: sol.Prod, Sol: sol, Lower: true, Pointwise: true})
	}
	return out, err
}
