// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Bins is (the mean over i of N(m_i, I), N(0, I)), by the products Gram[i][j] = ⟨m_i, m_j⟩ ≥ 0; the other way round
// when Reversed.
type Bins struct {
	unlisted
	Gram     [][]*big.Rat
	Reversed bool
}

func (x Bins) String() string {
	rows := make([]string, len(x.Gram))
	for i, row := range x.Gram {
		rows[i] = ratList(row[:i+1])
	}
	return fmt.Sprintf("Bins(%s)%s", strings.Join(rows, "; "), reversedMark(x.Reversed))
}

// Reverse exchanges the mean and N(0, I).
func (x Bins) Reverse() Pair {
	x.Reversed = !x.Reversed
	return x
}
func (Bins) SelfDual() bool            { return false }
func (x Bins) isReversed() bool        { return x.Reversed }
func (Bins) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (x Bins) alone() Pair {
	most := x.Gram[0][0]
	for i, row := range x.Gram {
		most = slices.MaxFunc([]*big.Rat{most, row[i]}, (*big.Rat).Cmp)
	}
	return Gaussian{Mu2: most}
}

// reach: the ratio is unbounded where all of z is large, and near 0 where all of it is far below, if no m_i is 0.
func (x Bins) reach() reach {
	if x.Reversed {
		for i := range x.Gram {
			if x.Gram[i][i].Sign() == 0 {
				return unknownReach()
			}
		}
	}
	return endless()
}

// NewBins returns the pair of a mean over bins, nil for equal distributions. One bin, or bins of the same direction,
// are Gaussian or a mixture; bins that have nothing in common and are equal are a random allocation.
func NewBins(gram [][]*big.Rat) Pair {
	n := len(gram)
	first := gram[0][0]
	apart, zero := true, true
	for i, row := range gram {
		zero = zero && row[i].Sign() == 0
		apart = apart && row[i].Cmp(first) == 0
		for _, x := range row[:i] {
			apart = apart && x.Sign() == 0
		}
	}
	switch {
	case zero:
		return nil
	case n == 1:
		return Gaussian{Mu2: first}
	case apart:
		return Allocation{Base: Gaussian{Mu2: first}, Selected: 1, Steps: int64(n)}
	}
	return Bins{Gram: gram}
}
