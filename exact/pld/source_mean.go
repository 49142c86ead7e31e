// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A meanSource is a mean of products (pair.Mean). Each that is not empty is put on a grid from a composition on a
// grid of its own. H_α of a mean that shows which one is drawn is the mean of H_α, so that
// the mean of pairs that dominate them dominates, and the mean of post-processings is one.
type meanSource struct {
	parts   []*sampleSource
	nothing *big.Rat // the probability that nothing is seen
}

// newMean returns nil if x is no mean of products that can be put on a grid for both bounds; twoSided is as of
// newSample.
func newMean(x pair.Pair, twoSided func(pair.Product) []*factor) *meanSource {
	s := meanSource{nothing: new(big.Rat)}
	m, ok := x.(pair.Mean)
	if !ok {
		return nil
	}
	for i, p := range m.Of {
		if len(p) == 0 {
			s.nothing = m.Shares[i]
			continue
		}
		base := twoSided(p)
		if len(base) == 0 {
			return nil
		}
		s.parts = append(s.parts, &sampleSource{rate: m.Shares[i], part: true, base: base})
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

func (s *meanSource) twoSided() bool { return true }

func (s *meanSource) atom() *big.Rat { return nil }

func (s *meanSource) extent(bits int) extent {
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
	up, low := leavesOf(s.dominating(w), s.dominated(w), m, w)
	return up.upper(w, set.Prec), low, nil
}
