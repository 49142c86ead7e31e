// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"math"

	"dpverify/exact/double"
)

// A rounding is how laws of u_t become laws on lattices.
type rounding int

const (
	// spread: each number goes to its two neighbours on the lattice, such that its mean stays. What follows from there
	// on is convex in u_t, for functions of the sum that are convex and rise.
	spread rounding = iota
	// weigh: h times the density, on the lattice. This is nearly a channel, for all functions of the sum that are convex.
	weigh
	// cells: each number goes to the one of the lattice that is nearest.
	cells
)

// pi has π, which is between math.Pi and the next float64.
var pi = double.Interval{Lo: math.Pi, Hi: math.Nextafter(math.Pi, 4)}

const (
	ulp = 0x1p-53
	// generous covers the rounding of sums of fewer than 2^30 numbers.
	generous = 1 + 0x1p-20
)

// mostCut and mostVariance bound what is left out, 2^−Cut, and the variances of the V_i of a chain: so that no mass
// that is kept, nor a product of one with a share of it, is as small as 2^−1022. With variances of at most 81, sums
// are below e^(40 + 9z), z = √(2·120·log 2 + 2·log 160) < 13.4, so that masses which are kept are above
// 2^−(120+45+240); a step has shares above exp(−(z + 9)²/2) > 2^−365.
const mostCut, mostVariance = 120, 81
