// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math/big"

	"dpverify/exact/interval"
)

var (
	zero    = interval.Int(0)
	one     = interval.Int(1)
	posInf  = interval.PosInf()
	unknown = interval.Bounds(zero.Lo(), posInf.Hi()) // [0, ∞]

	ratOne = big.NewRat(1, 1)
)

func atLeastZero(x interval.Interval) interval.Interval { return interval.Max(x, zero) }

func minusOne(r *big.Rat) *big.Rat { return new(big.Rat).Sub(r, ratOne) }

func integer(n int64) *big.Rat { return big.NewRat(n, 1) }
