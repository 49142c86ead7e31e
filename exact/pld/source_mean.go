// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A meanSource is a mean of products (pair.Mean), or one sample of a product. Each that is not empty is put on a grid
// from a composition on a grid of its own. H_α of a mean that shows which one is drawn is the mean of H_α, so that the
// mean of pairs that dominate them dominates, and the mean of post-processings is one.
type meanSource struct {
	bothSides
	parts   []*sampleSource
	nothing *big.Rat // the probability that nothing is seen
}

// newMean returns nil if x is no sample of a product that can be put on a grid for both bounds, and no mean of such.
// twoSided returns the factors of such a product, nil for others.
func newMean(x pair.Pair, twoSided func(pair.Product) []*factor) *meanSource {
	s := meanSource{nothing: new(big.Rat)}
	add := func(of sampleSource, base pair.Product) {
		of.base = twoSided(base)
		s.parts = append(s.parts, &of)
	}
	switch x := x.(type) {
	case pair.Sampled:
		if x.Reversed {
			x.Base = x.Base.Reverse()
		}
		add(sampleSource{rate: x.Rate, reversed: x.Reversed}, x.Base)
	case pair.Mean:
		for i, p := range x.Of {
			if len(p) == 0 {
				s.nothing = x.Shares[i]
			} else {
				add(sampleSource{rate: x.Shares[i], part: true}, p)
			}
		}
	default:
		return nil
	}
	if slices.ContainsFunc(s.parts, func(p *sampleSource) bool { return len(p.base) == 0 }) {
		return nil
	}
	return &s
}

func (s *meanSource) prepare(ctx context.Context, set Settings, count int64) (bool, error) {
	for _, p := range s.parts {
		if ok, err := p.prepare(ctx, set, count); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *meanSource) extent(_ context.Context, bits int) extent {
	return discreteExtent(s.dominating(interval.Prec(bits + 32)))
}

// all returns the outcomes of all parts, and of nothing.
func (s *meanSource) all(w interval.Prec, of func(*sampleSource, interval.Prec) []pair.Outcome) (out []pair.Outcome) {
	for _, p := range s.parts {
		out = append(out, of(p, w)...)
	}
	if s.nothing.Sign() > 0 {
		keep := w.Rat(s.nothing)
		out = append(out, pair.Outcome{P: keep, Q: keep, Exact: true})
	}
	return out
}

func (s *meanSource) dominating(w interval.Prec) []pair.Outcome {
	return s.all(w, (*sampleSource).dominating)
}
func (s *meanSource) dominated(w interval.Prec) []pair.Outcome {
	return s.all(w, (*sampleSource).dominated)
}

// cut puts the two pairs on the mesh.
func (s *meanSource) cut(_ context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	up, low := s.leaves(m, w)
	return up.upper(w, set.Prec), low, nil
}

// leaves puts the outcomes of a pair that dominates, and of one that is dominated, on the mesh.
func (s *meanSource) leaves(m mesh, w interval.Prec) (up, low *leaf) {
	up, low = &leaf{mesh: m}, &leaf{mesh: m}
	up.addOutcomes(s.dominating(w), w)
	for _, o := range s.dominated(w) {
		if o.P.Positive() == interval.True { // dropping the others as a whole is sound
			low.cells = append(low.cells, cell{m.lo, m.hi, o.P, o.Q})
		}
	}
	return up, low
}
