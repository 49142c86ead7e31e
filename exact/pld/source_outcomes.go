// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"

	"dpverify/exact/interval"
)

// An outcomeSource is a pair of at most maxOutcomes outcomes.
type outcomeSource struct{ oriented }

// maxOutcomes bounds the outcomes of a discrete pair on a grid.
const maxOutcomes = 1 << 16

func (s *outcomeSource) extent(_ context.Context, bits int) extent {
	os, _, _ := s.pair.Outcomes(interval.Prec(bits+32), maxOutcomes)
	return discreteExtent(os)
}

func (s *outcomeSource) cut(_ context.Context, m mesh, w interval.Prec, set Settings) (*lattice, *leaf, error) {
	return s.onMesh(m, w, set, func() (*leaf, error) {
		l := &leaf{mesh: m}
		os, _, _ := s.pair.Outcomes(w, maxOutcomes)
		l.addOutcomes(os, w)
		return l, nil
	})
}
