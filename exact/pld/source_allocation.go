// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/bits"

	"dpverify/exact/allocation"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A listedSource is a pair of which outcomes of one that dominates are listed, and those of a post-processing.
type listedSource struct {
	bothSides
	prepared     func(ctx context.Context, set Settings, count int64) (bool, error)
	above, below func(w interval.Prec) []pair.Outcome // no above: nothing but infinite loss dominates
}

func (s *listedSource) prepare(ctx context.Context, set Settings, count int64) (bool, error) {
	return s.prepared(ctx, set, count)
}

func (s *listedSource) extent(_ context.Context, bits int) extent {
	of := s.above
	if of == nil {
		of = s.below
	}
	return discreteExtent(of(interval.Prec(bits + 32)))
}

// cut puts the two pairs on the mesh.
func (s *listedSource) cut(_ context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	up, low := &leaf{mesh: m}, &leaf{mesh: m}
	if s.above == nil {
		up.inf = interval.Int(1)
	} else {
		up.addOutcomes(s.above(w), w)
	}
	low.addOutcomes(s.below(w), w)
	return up.upper(w, set.Prec), low, nil
}

// newAllocation is a random allocation: to one step by a pair that dominates and one that is a post-processing, to
// more by a post-processing: from above these are blocks, see pair.Blocks.
func newAllocation(x pair.Allocation) *listedSource {
	s := new(listedSource)
	oriented := func(os []pair.Outcome) (out []pair.Outcome) {
		for _, o := range os {
			if x.Reversed {
				o.P, o.Q = o.Q, o.P
			}
			out = append(out, o)
		}
		return out
	}
	s.prepared = func(ctx context.Context, set Settings, count int64) (bool, error) {
		of := allocation.Settings{Points: min(max(set.Points/2, 1<<10), 1<<14), Prec: max(set.Prec, 123),
			Cut: set.Cut + bits.Len64(uint64(count)) + 2}
		if x.Selected > 1 {
			y, ok, err := allocation.NewSubset(ctx, x.Base, x.Selected, x.Steps, of)
			if !ok || err != nil {
				return ok, err
			}
			os, err := y.Dominated(ctx)
			s.below = func(interval.Prec) []pair.Outcome { return oriented(os) }
			return len(os) > 0, err // float64 may hold none of the masses
		}
		law, ok, err := set.Leaves.law(ctx, x, of)
		s.above = func(w interval.Prec) []pair.Outcome { return oriented(law.Dominating(w, x.Reversed)) }
		s.below = func(w interval.Prec) []pair.Outcome { return oriented(law.Dominated(w)) }
		return ok, err
	}
	return s
}
