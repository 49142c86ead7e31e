// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"math"
	"math/big"

	"dpverify/mechanism"
)

// GridOf returns the grid of noise with whole cells on both sides, and a sensitivity that is a multiple of the cell.
func GridOf(e mechanism.AdditiveNoise) Grid {
	return Grid{N: len(e.Probabilities) / 2, Shift: int(new(big.Rat).Quo(e.Sensitivity, e.Cell).Num().Int64()),
		Cell: e.Cell}
}

// Beside returns noise of the family on the cells of e, rounded to exact masses, with a utility loss that is
// about the utility loss of e, more by one part in 10^7. It reports false if there is none.
func (f Family) Beside(e mechanism.AdditiveNoise, eps float64, norm Norm) (mechanism.AdditiveNoise, bool) {
	g := GridOf(e)
	first, second := Moments(e)
	u, _ := first.Float64()
	if norm == L2 {
		u, _ = second.Float64()
		u = math.Sqrt(u)
	}
	scale, ok := f.AtUtility(g, eps, norm, u*(1+1e-7))
	if !ok {
		return mechanism.AdditiveNoise{}, false
	}
	return g.Event(Round(f.Half(g, eps, scale))), true
}
