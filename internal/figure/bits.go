// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"math/big"

	"dpverify/exact/interval"
)

// bits is the precision of bounds between points.
const bits = interval.Prec(80)

// float is a number as a point.
func float(x float64) interval.Interval { return interval.Point(big.NewFloat(x)) }

func floor(x *big.Rat) *big.Float { return bits.Rat(x).Lo() }
func ceil(x *big.Rat) *big.Float  { return bits.Rat(x).Hi() }

// meet intersects two enclosures of one number.
func meet(x, y interval.Interval) interval.Interval {
	z, ok := interval.Intersect(x, y)
	if !ok {
		panic("figure: internal error: the points of a curve contradict its shape")
	}
	return z
}
