// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"math"
	"math/big"

	"dpverify/internal/number"
)

// spaced returns n ≥ 2 points from from to to > from, about evenly spaced: those
// inside are rounded to decimals that are multiples of a hundredth of their distance
// or less.
func spaced(from, to *big.Rat, n int) []*big.Rat {
	step := new(big.Rat).Sub(to, from)
	step.Quo(step, new(big.Rat).SetInt64(int64(n-1)))
	unit := number.PowerOfTen(number.Magnitude(new(big.Rat).Quo(step, big.NewRat(100, 1))))
	xs := []*big.Rat{from}
	for i := int64(1); i < int64(n-1); i++ {
		x := new(big.Rat).Mul(step, big.NewRat(i, 1))
		xs = append(xs, roundTo(x.Add(x, from), unit))
	}
	return append(xs, to)
}

// roundTo returns the multiple of unit that is nearest to x.
func roundTo(x, unit *big.Rat) *big.Rat {
	y := new(big.Rat).Quo(x, unit)
	y.Add(y, big.NewRat(1, 2))
	return y.Mul(new(big.Rat).SetInt(floor(y)), unit)
}

// floor returns ⌊x⌋.
func floor(x *big.Rat) *big.Int {
	return new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, and the denominator is positive
}

// roundUp returns the least number of two significant digits that is not below
// x > 0.
func roundUp(x *big.Rat) *big.Rat {
	unit := number.PowerOfTen(number.Magnitude(x))
	unit.Quo(unit, big.NewRat(10, 1))
	n := floor(new(big.Rat).Quo(x, unit))
	y := new(big.Rat).Mul(new(big.Rat).SetInt(n), unit)
	if y.Cmp(x) < 0 {
		y.Add(y, unit)
	}
	return y
}

// counts returns at most n ≥ 2 numbers from 1 to last, about evenly spaced.
func counts(last int64, n int) []int64 {
	var ks []int64
	for i := range int64(n) {
		// 1 + i·(last − 1)/(n − 1), to nearest
		x := big.NewRat(i, int64(n-1))
		x.Mul(x, new(big.Rat).SetInt64(last-1))
		k := 1 + roundTo(x, big.NewRat(1, 1)).Num().Int64()
		if len(ks) == 0 || k > ks[len(ks)-1] {
			ks = append(ks, k)
		}
	}
	return ks
}

// geometric returns about n different integers from 1 to last, evenly spaced by their
// logarithms.
func geometric(last int64, n int) []int64 {
	var ks []int64
	for i := range n {
		k := int64(math.Round(math.Pow(float64(last), float64(i)/float64(n-1))))
		if i == n-1 {
			k = last
		}
		if len(ks) == 0 || k > ks[len(ks)-1] {
			ks = append(ks, k)
		}
	}
	return ks
}

// firstDrawn is how many points a drawn curve begins with.
const firstDrawn = 9
