// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/batch"
	"dpverify/exact/conversion"
	"dpverify/exact/divisor"
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// An eventRoute bounds the profile of an event by those of products of pairs.
type eventRoute struct {
	method.Route
	// ceiling says that the greatest of the profiles is one more bound from above.
	ceiling bool
	of      func(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error)
}

// eventRoutes are all of them, in their order. The first one says which product the answer is about.
var eventRoutes = []eventRoute{
	{method.Route{Name: "dominating pairs", Bounds: method.BothSides, Applies: "every event; from above only where no " +
		"neighbours attain the pairs", Cost: "its methods"}, false, dominating},
	{method.Route{Name: "witnesses", Bounds: method.FromBelow, Applies: "events whose dominating pairs no neighbours " +
		"attain", Cost: "its methods"}, false, witnesses},
	{method.Route{Name: "worst guarantee", Bounds: method.BothSides, Applies: "one guarantee in Rényi divergences",
		Cost: "some values"}, false, worst},
	{method.Route{Name: "divergences", Bounds: method.FromAbove,
		Applies: "events with less divergence than the pairs that dominate them", Cost: "moments"}, true, ceilings},
	{method.Route{Name: "finite batches", Bounds: method.FromAbove, Applies: "truncated Poisson samples",
		Cost: "its methods"}, true, batchCeilings},
	{method.Route{Name: inductionName, Bounds: method.FromAbove, Applies: "compositions of choices",
		Cost: "a convolution for each step and pair"}, true, adversaries},
	{method.Route{Name: "policies", Bounds: method.FromBelow, Applies: "compositions of choices that neighbours attain",
		Cost: "as backward-induction"}, false, policies},
	{
		method.Route{
			Name: "common divisors", Bounds: method.FromAbove, Applies: "vectors of discrete Gaussian noise",
			Cost: "its methods",
		}, true, divisorCeilings,
	},
}

// dominating are the bounds by what the event's pairs are.
func dominating(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error) {
	return p.solved(ctx, method.Bound{Upper: true, Lower: bs.Attained}, bs.Upper)
}

// witnesses are the bounds by pairs that some neighbours attain.
func witnesses(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error) {
	return p.solved(ctx, method.Bound{Lower: true}, bs.Lower)
}

// solved are the bounds by the profiles of products, which are like b.
func (p *prepared) solved(ctx context.Context, b method.Bound, prods []pair.Product) (out []method.Bound, err error) {
	for _, prod := range prods {
		b.Prod = prod
		if b.Sol, err = p.solver.Solve(ctx, prod); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// ceilings bound the profile from above once more, by the conversion of Rényi divergences,
// where what an event is dominated by says less about these than the event itself: a
// choice among several pairs, composed, has the sum of the greatest divergences, and the
// exponential mechanism has the divergence of bounded range. The answer is at most the greatest of
// them. There are none where an orientation has no such bound.
//
// They are apart from the methods, which all bound the profile of one pair.
func ceilings(_ context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error) {
	divergences, err := p.problem.Divergence(p.direction)
	draft := p.solver.Draft
	if bs.Attained || err != nil || draft == Instant {
		return nil, nil
	}
	boundFactors := conversion.BoundFactors
	if draft != Settled {
		boundFactors = conversion.RoughBoundFactors
	}
	prod := p.problem.Dominating()
	var out []method.Bound
	for _, f := range divergences.Upper {
		m := f.Moments()
		if len(m.Choices) == 0 && m.Fixed.String() == prod.String() {
			return nil, nil // a method does it
		}
		if renyi.Slow(m.Product()) {
			return nil, nil
		}
		u, ok := boundFactors(m)
		if !ok {
			return nil, nil
		}
		sol := &method.Solution{Prod: prod}
		sol.Add(method.Used{Name: method.RenyiName, From: method.BothSides, Tight: false, F: u})
		out = append(out, method.Bound{Prod: prod, Sol: sol, Upper: true})
	}
	return out, nil
}

// batchCeilings bound products with truncated samples once more, each of which is replaced by a finite pair that
// dominates it and is less than what the others say: see package batch. There are none where a product has no such
// sample. No draft has them.
func batchCeilings(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error) {
	if bs.Attained || p.solver.Draft != Settled {
		return nil, nil
	}
	var finite []pair.Product
	for _, prod := range bs.Upper {
		f, ok, err := batch.Under(ctx, prod, p.solver.Least())
		if !ok || err != nil {
			return nil, err
		}
		finite = append(finite, f)
	}
	return p.solved(ctx, method.Bound{Upper: true}, finite)
}

// divisorCeilings bound products with vectors of discrete Gaussian noise once more, by noise in one dimension: see
// package divisor. No draft has them.
func divisorCeilings(ctx context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error) {
	if bs.Attained || p.solver.Draft != Settled {
		return nil, nil
	}
	var near []pair.Product
	for _, prod := range bs.Upper {
		of, ok := divisor.Under(prod)
		if !ok {
			return nil, nil
		}
		near = append(near, of...)
	}
	return p.solved(ctx, method.Bound{Upper: true}, near)
}

// worst makes the upper bound of an event that is one guarantee in Rényi divergences a bound from both sides, at each ε
// by a pair that keeps the guarantee, which differs from ε to ε. No draft does.
//
// Trade-off functions and μ are those of the greatest profile, too: docs/theorems.md, *Tests of a Rényi guarantee*.
func worst(_ context.Context, p *prepared, bs meaning.Bounds[pair.Product]) ([]method.Bound, error) {
	fs, err := composition.Factors(p.event)
	if bs.Attained || p.solver.Draft != Settled || err != nil || len(fs) != 1 || fs[0].Count != 1 {
		return nil, nil
	}
	b := &p.bounds[0]
	switch fs[0].Event.(type) {
	case mechanism.ZCDP, mechanism.RenyiCurve:
		if f, ok := conversion.Worst(b.Prod); ok {
			sol := *b.Sol
			sol.Add(method.Used{Name: "binary-tests", From: method.BothSides, Tight: false, F: f})
			b.Sol, b.Lower = &sol, true
		}
	}
	return nil, nil
}
