// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"

	"dpverify/exact/adversary"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
)

// inductionName names the answers of backward induction.
const inductionName = "backward-induction"

// adversarySettings sizes grids at an effort.
func (s *solver) adversarySettings(e Effort, steps int64) adversary.Settings {
	set := adversary.Settings{Length: 1 << (12 + min(int(e), 4)), Delta: interval.Pow2(-30)}
	if s.scale >= 0 {
		set.Delta = interval.Pow2(-s.scale)
	}
	set.Cut = max(s.scale, 30) + 8 + big.NewInt(steps).BitLen()
	set.Prec = interval.Prec(set.Cut + 64)
	return set
}

// maxSteps bounds the numbers that an induction takes at effort 0.
const maxSteps = 1 << 28

// inductions are the bounds of compositions with choices, for each orientation, remembered for both sides.
func (p *prepared) inductions(ctx context.Context) ([]*adversary.Bounds, error) {
	if p.induced || p.solver.draft != Settled {
		return p.induction, nil
	}
	p.induced = true
	for _, steps := range p.problem.Steps(p.direction) {
		b, err := p.solver.induce(ctx, steps)
		if b == nil || err != nil {
			p.induction = nil
			return nil, err
		}
		p.induction = append(p.induction, b)
	}
	return p.induction, nil
}

// induce is nil where it does not apply.
func (s *solver) induce(ctx context.Context, steps meaning.Steps) (*adversary.Bounds, error) {
	set := s.adversarySettings(s.effort, steps.Count)
	if len(steps.Of) > 16 || steps.Count*int64(len(steps.Of))*int64(set.Length) > maxSteps<<s.effort || pair.Product(steps.Before).IsGuarantee() {
		return nil, nil
	}
	one := func(prod pair.Product) (adversary.Pair, bool, error) {
		f, sol, err := s.profileOf(ctx, prod)
		m, _ := pair.InfMass(prod)
		return adversary.Pair{Profile: f, Infinite: m}, err == nil && sol.twoSided, err
	}
	prob := adversary.Problem{Steps: steps.Count}
	for _, prod := range steps.Of {
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
		at   *adversary.Pair
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
	b, ok, err := adversary.Solve(ctx, prob, set)
	if !ok || s.refuses(inductionName, err) {
		return nil, err
	}
	return b, err
}

// adversaries bound a composition from above by backward induction, see package adversary.
func adversaries(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) (out []bound, err error) {
	all, err := p.inductions(ctx)
	for _, b := range all {
		sol := &solution{prod: p.problem.Dominating()}
		sol.add(used{inductionName, bothSides, false, b.Above})
		out = append(out, bound{prod: sol.prod, sol: sol, upper: true})
	}
	return out, err
}

// policies bound it from below: at each ε by one of them, so that nothing is said of tests.
func policies(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) (out []bound, err error) {
	if len(bs.Lower) == 0 {
		return nil, nil
	}
	all, err := p.inductions(ctx)
	for _, b := range all {
		sol := &solution{prod: bs.Lower[0]}
		sol.add(used{inductionName, bothSides, false, b.Below})
		out = append(out, bound{prod: sol.prod, sol: sol, lower: true, pointwise: true})
	}
	return out, err
}
