// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact/pattern"
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

// Diagonals replaces means over bins by random allocations that they dominate, of Gaussians at the least squared norm,
// and by such that dominate them, at the greatest sum of a row. It reports false if there is none.
//
// See docs/theorems.md, Correlation that is moved. A bin without steps leaves nothing below.
func Diagonals(prod Product) (below, above Product, ok bool) {
	for _, t := range prod {
		var least, most *big.Rat
		a := Allocation{Selected: 1}
		switch x := t.Pair.(type) {
		case Bins:
			least, most = x.apart()
			a.Steps, a.Reversed = int64(len(x.Gram)), x.Reversed
		case Patterns:
			if x.Draw == pattern.Chosen {
				least, most = x.Norms()
				a.Selected, a.Steps, a.Reversed = x.Size, x.Steps(), x.Reversed
			}
		}
		if most == nil {
			below, above = append(below, t), append(above, t)
			continue
		}
		ok = true
		of := func(mu2 *big.Rat) Term {
			a.Base = Gaussian{Mu2: mu2}
			return Term{a, t.Count}
		}
		if above = append(above, of(most)); least.Sign() > 0 {
			below = append(below, of(least))
		}
	}
	return below.Merged(), above.Merged(), ok
}

// apart is the least squared norm, and the greatest sum of a row.
func (x Bins) apart() (least, most *big.Rat) {
	least, most = x.Gram[0][0], new(big.Rat)
	for i, row := range x.Gram {
		sum := new(big.Rat)
		for _, y := range row {
			sum.Add(sum, y)
		}
		if sum.Cmp(most) > 0 {
			most = sum
		}
		if row[i].Cmp(least) < 0 {
			least = row[i]
		}
	}
	return least, most
}
