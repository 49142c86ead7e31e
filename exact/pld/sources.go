// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"slices"

	"dpverify/exact/closed"
	"dpverify/exact/pair"
)

// newSource returns the source of a pair: tails in closed form, a finite number of
// outcomes, a sample of a product of sources, or an upper bound of its profile,
// whichever is there first. It returns nil if there is none of these.
func newSource(x pair.Pair, bounds func(pair.Pair) Bound) source {
	o := orient(x)
	if tails, ok := closed.PairTails(o.pair); ok {
		return newTails(o, tails)
	}
	if _, _, ok := o.pair.Outcomes(32, maxOutcomes); ok {
		return &outcomeSource{o}
	}
	if m := newMean(x, twoSided); m != nil {
		return m
	}
	if o, ok := x.(pair.Opposed); ok {
		return &listedSource{below: o.Dominated, prepared: func(context.Context, Settings, int64) (bool, error) {
			return true, nil
		}}
	}
	if a, ok := x.(pair.Allocation); ok {
		if a.Base.Kind() != pair.Discrete && newSource(a.Base, nil) == nil {
			return nil // nothing is known of the base
		}
		return newAllocation(a)
	}
	if o, ok := x.(pair.OppositeAllocation); ok {
		return newKnown(o)
	}
	if m, ok := x.(pair.Maximum); ok {
		if f := maximumBound(m); f != nil {
			return boundSource{Bound{Profile: f}, byFall}
		}
	}
	if bounds != nil {
		if b := bounds(x); b.Profile != nil {
			return boundSource{b, byFall}
		}
	}
	return nil
}

// Gridded reports whether every factor of a product can be put on a grid for both
// bounds.
func Gridded(prod pair.Product) bool {
	for _, t := range prod {
		if s := newSource(t.Pair, nil); s == nil || !s.twoSided() {
			return false
		}
	}
	return len(prod) > 0
}

// factorsOf returns the factors of a product. It reports false if one is no source.
func factorsOf(prod pair.Product, bounds func(pair.Pair) Bound) ([]*factor, bool) {
	var out []*factor
	for _, t := range collapse(prod) {
		s := newSource(t.Pair, bounds)
		if s == nil {
			return nil, false
		}
		out = append(out, &factor{source: s, count: t.Count})
	}
	return out, true
}

// twoSided returns the factors of a product that can be put on a grid for both bounds, nil for others.
func twoSided(prod pair.Product) []*factor {
	out, ok := factorsOf(prod, nil)
	if !ok || slices.ContainsFunc(out, func(f *factor) bool { return !f.twoSided() }) {
		return nil
	}
	return out
}
