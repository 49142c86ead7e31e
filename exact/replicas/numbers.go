// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

const (
	ulp = 0x1p-53
	// generous covers the rounding of sums of fewer than 2^30 numbers.
	generous = 1 + 0x1p-20
)

// power encloses q^n, q in [0, 1].
func power(q *big.Rat, n int) double.Interval {
	return double.Of(interval.Prec(64).PowInt(interval.Prec(64).Rat(q), int64(n))).AtLeastZero()
}

// binomial is the number of subsets of k of n ≤ most.
func binomial(n, k int) int64 {
	return new(big.Int).Binomial(int64(n), int64(k)).Int64()
}
