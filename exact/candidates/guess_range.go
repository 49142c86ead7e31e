// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package candidates

import (
	"math"
	"math/big"

	"dpverify/exact/double"
)

// GridOf chooses a grid for steps of a selection with ε = x, a δ of interest and so many numbers to be computed. It
// reports false where that is not enough for a grid.
func GridOf(of Selection, x *big.Rat, steps int64, delta *big.Rat, work int64) (SelectionGrid, bool) {
	width := double.Of(wide.Rat(x)).Mid()
	d := double.Of(wide.Rat(delta)).Lo
	if !(width > 0x1p-40 && width < 1e3 && d > 0) {
		return SelectionGrid{}, false
	}
	n := float64(steps)
	// Losses of a step of the exponential mechanism have a mean of at most x²/8 and lie in a range of x, and those of
	// the other are from −x to x, with a mean of at most x²/2. Hoeffding's inequality, with 2^−10 of δ.
	mean, half := min(width, width*width/8), width/2
	if of == PermuteAndFlip {
		mean, half = min(width, width*width/2), width
	}
	tail := math.Sqrt(-2*double.Log64(d)+14) * math.Sqrt(n) * half
	hi := min(n*width, n*mean+tail) + width
	lo := min(n*width, 4) + width
	perCell := n * (lo + hi) / width // the numbers of a grid with one cell for each x and one duel
	parts := 1.0                     // for each cell
	if of == PermuteAndFlip {
		parts = min(2, math.Sqrt(2*width))
	}
	cells := 1.0
	for cells < 1024 && perCell*(cells+1)*((cells+1)*parts+6) < float64(work) {
		cells++
	}
	g := SelectionGrid{Delta: new(big.Rat).Quo(x, big.NewRat(int64(cells), 1)), Parts: max(4, int(cells*parts))}
	delta64 := width / cells
	g.First = -int(lo/delta64) - 1
	g.Points = int(hi/delta64) + 2 - g.First
	return g, cells >= 4 && g.Points < 1<<20
}
