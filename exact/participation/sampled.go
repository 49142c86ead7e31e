// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package participation

import (
	"math/big"
	"slices"
)

// Width is the number of bands: the greatest row − column + 1 of entries that are not 0.
func (m Matrix) Width() int { return m.width() }

// Norms are the squared norms of columns that are not 0, the greatest first, each with how many columns have it.
type Norms []struct {
	Square *big.Rat
	Count  int64
}

// maxGroups bounds the groups that Groups returns.
const maxGroups = 32

// Groups returns the norms of the columns of each class modulo b, without classes whose norms, one by one, are at most
// those of another one. It reports false if there are too many.
func (m Matrix) Groups(b int) ([]Norms, bool) {
	norms := m.norms()
	groups := min(b, len(norms))
	if m.toeplitz != nil {
		groups = min(groups, 1) // the columns of a later class are the same ones, cut off earlier
	}
	var kept [][]*big.Int
	for j := range groups {
		var of []*big.Int
		for i := j; i < len(norms); i += b {
			if norms[i].Sign() > 0 {
				of = append(of, norms[i])
			}
		}
		slices.SortFunc(of, func(x, y *big.Int) int { return y.Cmp(x) })
		if slices.ContainsFunc(kept, func(k []*big.Int) bool { return atMost(of, k) }) {
			continue
		}
		kept = slices.DeleteFunc(kept, func(k []*big.Int) bool { return atMost(k, of) })
		if kept = append(kept, of); len(kept) > maxGroups {
			return nil, false
		}
	}
	out := make([]Norms, len(kept))
	for g, of := range kept {
		for i, x := range of {
			if i == 0 || x.Cmp(of[i-1]) != 0 {
				out[g] = append(out[g], struct {
					Square *big.Rat
					Count  int64
				}{Square: m.value(x)})
			}
			out[g][len(out[g])-1].Count++
		}
	}
	return out, true
}

// atMost reports whether the numbers of a falling list are at most those of another one, which are ≥ 0.
func atMost(a, b []*big.Int) bool {
	if len(a) > len(b) {
		return false
	}
	for i, x := range a {
		if x.Cmp(b[i]) > 0 {
			return false
		}
	}
	return true
}

const (
	maxBins     = 256
	maxBinWork  = 1 << 26 // products of two numbers, and numbers in memory
	maxBinCells = 1 << 22
)

// Bins returns the products ⟨m_i, m_j⟩ of the sums m_i of all columns of class i modulo b. It reports false if that
// is too much work. Requires: no entry is negative.
func (m Matrix) Bins(b int) ([][]*big.Rat, bool) {
	if b > maxBins || b*m.steps > maxBinCells || b*b*m.steps > 2*maxBinWork {
		return nil, false
	}
	sums := make([][]cell, b)
	for i := range sums {
		row := make([]*big.Int, m.steps)
		work := 0
		for j := i; j < m.steps; j += b {
			column := m.at(j)
			if work += len(column); work > maxBinWork {
				return nil, false
			}
			for _, x := range column {
				if row[x.row] == nil {
					row[x.row] = new(big.Int)
				}
				row[x.row].Add(row[x.row], x.value)
			}
		}
		for r, x := range row {
			if x != nil && x.Sign() != 0 {
				sums[i] = append(sums[i], cell{r, x})
			}
		}
	}
	gram := make([][]*big.Rat, b)
	for i := range gram {
		gram[i] = make([]*big.Rat, b)
		for j := range i + 1 {
			gram[i][j] = m.value(dot(sums[i], sums[j]))
			gram[j][i] = gram[i][j]
		}
	}
	return gram, true
}

// Negative reports whether an entry is negative.
func (m Matrix) Negative() bool {
	for _, x := range m.toeplitz {
		if x.Sign() < 0 {
			return true
		}
	}
	for _, column := range m.columns {
		for _, x := range column {
			if x.value.Sign() < 0 {
				return true
			}
		}
	}
	return false
}
