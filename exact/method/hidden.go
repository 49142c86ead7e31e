// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/markov"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// manyBins is the number of bins above which chains take longer than an answer at once may.
const manyBins = 24

// HiddenChain: means over bins that are correlated, between such that are seen along a Markov chain; see exact/markov.
func HiddenChain(s *Solver, prod pair.Product, e Effort) *Plan {
	x, ok := pair.Single[pair.Bins](prod)
	if !ok || e == 0 && len(x.Gram) > manyBins {
		return nil
	}
	set := markov.Settings{Work: math.Ldexp(3e7, 3*int(min(e, 3))), Cut: 40}
	if e > 1 {
		set.Work *= 5. / 8
		if len(x.Gram) > 2*manyBins { // the search for a chain takes a third of the time
			set.Work *= 0.7
		}
	}
	if s.scale >= 0 {
		set.Cut = s.scale + 12
	}
	b, ok := markov.NewBounds(x.Gram, x.Reversed, set)
	if !ok {
		return nil
	}
	near := func(ctx context.Context, delta *big.Rat) float64 {
		return b.Near(ctx, double.Of(interval.Prec(64).Log(interval.Prec(64).Rat(delta))).Mid())
	}
	// With a δ of interest, one choice serves all ε: about the one that has this δ.
	var target float64
	if s.scale >= 0 {
		target = -1
	}
	plan := &Plan{Cost: 0.5 + set.Work*0.8e-8, Slow: e > 1, Draft: Coarse}
	plan.Prepare = func(ctx context.Context) (profile.Func, error) {
		if target < 0 {
			target = near(ctx, new(big.Rat).Inv(interval.Pow2(s.scale)))
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			y := eps(64)
			at := target
			if at == 0 {
				if at = double.Of(y).Hi; !(at > 0) {
					return profile.Unit(), nil
				}
				at = markov.Nearby(at)
			}
			d, err := b.Delta(ctx, y, at)
			return p.Round(d), err
		}, nil
	}
	plan.Shortcuts.Near = func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
		return double.Point(near(ctx, delta)).Exact().UpperRat()
	}
	return plan
}
