// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"

	"dpverify/mechanism"
)

// maxMatrixSteps bounds the steps whose subsets are gone through.
const maxMatrixSteps = 12

// matrix goes through all patterns of a few steps, for a matrix without negative numbers.
func matrix(e mechanism.MatrixMechanism, sensitivity int64) (Product, error) {
	if e.Sampling != nil {
		return nil, &UnsupportedError{e.ClassName(), "a sampling is not covered by the fast path"}
	}
	n := e.Strategy.Steps
	if n > maxMatrixSteps {
		return nil, &UnsupportedError{e.ClassName(), "more than a few steps are not covered by the fast path"}
	}
	rows := make([][]*big.Rat, n)
	for i := range rows {
		rows[i] = make([]*big.Rat, n)
		for j := range rows[i] {
			rows[i][j] = new(big.Rat)
			if k := i - j; k >= 0 && k < len(e.Strategy.Toeplitz) {
				rows[i][j] = e.Strategy.Toeplitz[k]
			}
		}
	}
	for _, x := range e.Strategy.Entries {
		rows[x.Row][x.Column] = x.Value
	}
	for _, row := range rows {
		for _, x := range row {
			if x.Sign() < 0 {
				return nil, &UnsupportedError{e.ClassName(), "negative numbers in the strategy are not covered by the fast path"}
			}
		}
	}
	most := new(big.Rat)
	for set := range 1 << n {
		count, last, allowed := int64(0), -e.MinSeparation, true
		for j := range n {
			if set>>j&1 == 1 {
				count++
				allowed = allowed && j-last >= e.MinSeparation
				last = j
			}
		}
		if !allowed || count > e.MaxParticipations {
			continue
		}
		square := new(big.Rat)
		for _, row := range rows {
			sum := new(big.Rat)
			for j, x := range row {
				if set>>j&1 == 1 {
					sum.Add(sum, x)
				}
			}
			square.Add(square, sum.Mul(sum, sum))
		}
		if square.Cmp(most) > 0 {
			most = square
		}
	}
	if most.Sign() == 0 {
		return nil, nil
	}
	mu := new(big.Rat).Quo(big.NewRat(sensitivity, 1), e.NoiseMultiplier)
	return Product{{Gaussian{most.Mul(most, mu.Mul(mu, mu))}, 1}}, nil
}
