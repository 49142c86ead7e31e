// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

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
