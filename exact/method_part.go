// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// partMethod: a lower bound by parts of the product. Dropping a factor is a
// post-processing, so the profile of a part never exceeds the whole's.
type partMethod struct{}

func (partMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	if len(prod) == 1 && prod[0].Count == 1 {
		return nil
	}
	return &plan{Cost: 1, Draft: Instant, Bounds: fromBelow, Prepare: func(ctx context.Context) (profile.Func, error) {
		var fs []profile.Func
		for _, part := range parts(prod) {
			f, _, err := s.profileOf(ctx, part)
			if err != nil {
				return nil, err
			}
			fs = append(fs, f)
		}
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			y := profile.Unit()
			for _, f := range fs {
				x, err := f(ctx, p, eps)
				if err != nil {
					return profile.Unit(), err
				}
				y = interval.Bounds(interval.Max(x, y).Lo(), y.Hi())
			}
			return y, nil
		}, nil
	}}
}

// parts returns sub-products that have a chance of being solved: the Gaussians,
// with and without the discrete factors; the discrete factors; and every other
// factor alone, with as many copies as closed forms take.
func parts(prod pair.Product) []pair.Product {
	continuous, discrete := prod.SplitDiscrete()
	_, others := continuous.Gaussians()
	var gaussians pair.Product
	for _, t := range continuous {
		if _, ok := t.Pair.(pair.Gaussian); ok {
			gaussians = append(gaussians, t)
		}
	}
	var out []pair.Product
	add := func(p pair.Product) {
		if len(p) > 0 && p.String() != prod.String() {
			out = append(out, p)
		}
	}
	add(gaussians)
	add(discrete)
	if len(gaussians) > 0 && len(discrete) > 0 {
		add(append(append(pair.Product{}, gaussians...), discrete...))
	}
	for _, t := range others {
		if _, ok := t.Pair.(pair.Laplace); ok {
			add(pair.Product{{Pair: t.Pair, Count: min(t.Count, 24)}})
		} else {
			add(pair.Product{{Pair: t.Pair, Count: 1}})
		}
	}
	if len(prod) == 1 && prod.IsDiscrete() {
		add(pair.Product{{Pair: prod[0].Pair, Count: 1}})
	}
	return out
}
