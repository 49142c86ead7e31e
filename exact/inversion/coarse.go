// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// coarse is the precision at which errors are bounded.
const coarse = interval.Prec(64)

// infinity is the point +∞.
func infinity() interval.Interval {
	f := new(big.Float).SetInf(false)
	return interval.Bounds(f, f)
}

var one = interval.Int(1)

// upper returns the upper end of x as a point.
func upper(x interval.Interval) interval.Interval { return interval.Point(x.Hi()) }

// point64 encloses x.
func point64(x float64) interval.Interval { return double.Point(x).Exact() }
