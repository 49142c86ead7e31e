// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/bits"
	"slices"

	"dpverify/exact/allocation"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// An allocationSource is a random allocation: to one step by a pair that dominates and one that is a
// post-processing, to more by a post-processing: from above these are blocks, see pair.Blocks.
type allocationSource struct {
	pair.Allocation
	bothSides
	law    *allocation.Law // of one step,
	subset []pair.Outcome  // or the post-processing of more
}

func (s *allocationSource) prepare(ctx context.Context, set Settings, count int64) (bool, error) {
	of := allocation.Settings{Points: min(max(set.Points/2, 1<<10), 1<<14), Prec: max(set.Prec, 123),
		Cut: set.Cut + bits.Len64(uint64(count)) + 2}
	var ok bool
	var err error
	if s.Selected > 1 {
		var x *allocation.Subset
		if x, ok, err = allocation.NewSubset(ctx, s.Base, s.Selected, s.Steps, of); ok && err == nil {
			s.subset, err = x.Dominated(ctx)
		}
	} else {
		s.law, ok, err = set.Leaves.law(ctx, s.Allocation, of)
	}
	return ok, err
}

func (s *allocationSource) extent(bits int) extent {
	if s.subset != nil {
		return discreteExtent(s.oriented(slices.Clone(s.subset)))
	}
	return discreteExtent(s.oriented(s.law.Dominating(interval.Prec(bits+32), s.Reversed)))
}

func (s *allocationSource) oriented(os []pair.Outcome) []pair.Outcome {
	if s.Reversed {
		for i, o := range os {
			os[i].P, os[i].Q = o.Q, o.P
		}
	}
	return os
}

// cut puts the two pairs on the mesh. Of several steps nothing dominates but infinite loss.
func (s *allocationSource) cut(_ context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	up, low := &leaf{mesh: m}, &leaf{mesh: m}
	if s.subset != nil {
		up.inf = interval.Int(1)
		low.addOutcomes(s.oriented(slices.Clone(s.subset)), w)
	} else {
		up.addOutcomes(s.oriented(s.law.Dominating(w, s.Reversed)), w)
		low.addOutcomes(s.oriented(s.law.Dominated(w)), w)
	}
	return up.upper(w, set.Prec), low, nil
}

// A lowerSource is a pair of which a post-processing is known, and nothing that dominates it.
type lowerSource struct {
	pair.Opposed
	bothSides
}

func (lowerSource) prepare(context.Context, Settings, int64) (bool, error) { return true, nil }

func (s lowerSource) extent(bits int) extent {
	return discreteExtent(s.Dominated(interval.Prec(bits + 32)))
}

// cut puts the post-processing on the mesh. Above there is nothing but infinite loss.
func (s lowerSource) cut(_ context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	up, low := &leaf{mesh: m}, &leaf{mesh: m}
	up.inf = interval.Int(1)
	low.addOutcomes(s.Dominated(w), w)
	return up.upper(w, set.Prec), low, nil
}
