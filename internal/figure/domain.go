// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
)

// A dense domain, that of most shapes, is an interval.
type dense struct{}

// inside returns a number with few digits near x and inside of (a, b).
func (dense) inside(a, b *big.Rat, x interval.Interval) *big.Rat {
	lo, _, ok := x.Rationals()
	if !ok {
		return nil
	}
	gap, _ := new(big.Rat).Sub(b, a).Float64()
	for digits := 2 - int(math.Floor(math.Log10(gap))); digits < 400; digits += 2 {
		y, ok := new(big.Rat).SetString(lo.FloatString(max(digits, 0)))
		if ok && a.Cmp(y) < 0 && y.Cmp(b) < 0 {
			return y
		}
	}
	return nil
}

// whole is the domain of numbers of compositions.
type whole struct{}

// inside returns a whole number near x and inside of (a, b).
func (whole) inside(a, b *big.Rat, x interval.Interval) *big.Rat {
	lo, _, ok := x.Rationals()
	if !ok {
		return nil
	}
	y := new(big.Rat).SetInt(new(big.Int).Quo(lo.Num(), lo.Denom()))
	if y.Cmp(a) <= 0 {
		y.Add(y, big.NewRat(1, 1))
	}
	if a.Cmp(y) < 0 && y.Cmp(b) < 0 {
		return y
	}
	return nil
}
