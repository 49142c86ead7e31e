// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package iterates

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// choose returns how many of the last uses count, from a distance: any number bounds, and the best of some is taken.
func choose(contraction, start *big.Rat, batches, uses int64) int64 {
	near := func(r *big.Rat) float64 { return double.Of(interval.Prec(64).Rat(r)).Mid() }
	c, z, b := near(contraction), near(start), float64(batches)
	value := func(n int64) float64 {
		q, k := math.Pow(c, b*float64(n-1)), float64(n-1)
		shift, noise := q*z+math.Pow(c, b-1)*(1-q)/(1-math.Pow(c, b)), (1-q*q)/(1-c*c)
		if c > 1-1e-12 {
			shift, noise = z+k, b*k
		}
		if n == 1 || c*noise <= shift {
			return (c*shift + 1) * (c*shift + 1) / (c*c*noise + 1)
		}
		return 1 + shift*shift/noise
	}
	best, at := math.Inf(1), int64(1)
	for n := int64(1); n < uses; n += n/64 + 1 {
		if v := value(n); v < best {
			best, at = v, n
		}
	}
	return at
}
