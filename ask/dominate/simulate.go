// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dominate

import (
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// maxShown bounds the outcomes of a pair whose simulation is shown.
const maxShown = 64

// simulation returns how the randomized response of a guarantee gives the pair that it dominates, with a rational
// number just below e^ε in place of it; nil if the first event is no guarantee (ε, δ), the second no finite pair, or
// the margin is less than the rounding.
func simulation(a, b side) *pair.Simulation {
	g, ok := a.event.(mechanism.EpsilonDelta)
	if !ok || len(b.bounds.Upper) == 0 {
		return nil
	}
	f, ok := b.bounds.Upper[0].Expand(maxShown)
	if !ok {
		return nil
	}
	const w = interval.Prec(64)
	growth, _, ok := w.Exp(w.Rat(g.Epsilon)).Lower().Rationals()
	if !ok {
		return nil
	}
	s, ok := f.Simulate(growth, g.Delta)
	if !ok {
		return nil
	}
	return &s
}
