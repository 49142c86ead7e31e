// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"math"
	"math/big"

	"dpverify/exact/double"
)

// RangeGrid chooses cells and ε from −lo to hi for steps of range x, a δ of interest and so many numbers to be
// computed. It reports false where that is not enough for a grid.
func RangeGrid(x *big.Rat, steps int64, delta *big.Rat, work float64) (cells int, lo, hi float64, ok bool) {
	width := double.Of(wide.Rat(x)).Mid()
	d := double.Of(wide.Rat(delta)).Lo
	if !(width > 0x1p-40 && width < 1e3 && d > 0) {
		return 0, 0, 0, false
	}
	n := float64(steps)
	// Losses of a step have a mean of at most x²/8 and lie in a range of x: Hoeffding's inequality, with 2^−10 of δ.
	tail := math.Sqrt(-2*double.Log64(d)+14) * math.Sqrt(n) * width / 2
	hi = min(n*width, n*width*width/8+tail) + width
	lo = min(n*width, 8) + width
	points := (lo + hi) / width // for each cell of x
	cells = int(min(128, math.Sqrt(work/(n*points))))
	return cells, lo, hi, cells >= 4
}
