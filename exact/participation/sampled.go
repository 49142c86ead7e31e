// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package participation

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
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

// Scale multiplies a symmetric matrix.
func Scale(gram [][]*big.Rat, by *big.Rat) {
	for i, row := range gram {
		for j, x := range row[:i+1] {
			gram[i][j] = new(big.Rat).Mul(x, by)
			gram[j][i] = gram[i][j]
		}
	}
}

// A Row has the products of a column with those before it, ⟨c_t, c_{t−d}⟩ in place d < width, for so many t in a row.
type Row struct {
	Products []*big.Rat
	Count    int64
}

const (
	maxDrawnSteps = 1 << 12
	maxDrawnWork  = 1 << 20 // products of columns
)

// Rows returns the products of columns that are less than the width of the matrix apart: all that are not 0. It reports
// false if there are too many.
func (m Matrix) Rows() ([]Row, bool) {
	width := max(m.width(), 1)
	if m.steps > maxDrawnSteps || m.steps*width > maxDrawnWork {
		return nil, false
	}
	var out []Row
	for t := range m.steps {
		n := len(out)
		if m.toeplitz != nil && t >= width && t+width <= m.steps {
			out[n-1].Count++ // as the one before: all of both columns, and of those before them, is there
			continue
		}
		column := m.at(t)
		r := Row{Count: 1}
		for d := 0; d < width && d <= t; d++ {
			r.Products = append(r.Products, m.value(dot(column, m.at(t-d))))
		}
		if n > 0 && slices.EqualFunc(out[n-1].Products, r.Products, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }) {
			out[n-1].Count++
			continue
		}
		out = append(out, r)
	}
	return out, true
}

// Even returns a number that is at most 1/|u|², where u has the product 1 with each column; 0 if there is none. So all
// products of columns, less this number, are a positive semidefinite matrix: those with what is left of the columns
// beside u.
func (m Matrix) Even() *big.Rat {
	for bits := interval.Prec(128); bits < interval.Prec(64*m.steps+1024); bits *= 4 {
		square := interval.Int(0)
		u := make([]interval.Interval, m.steps)
		for j := m.steps - 1; j >= 0; j-- {
			column := m.at(j)
			if len(column) == 0 || column[0].row != j {
				return new(big.Rat)
			}
			left := interval.Int(1)
			for _, x := range column[1:] {
				left = bits.Sub(left, bits.Mul(u[x.row], m.entry(bits, x)))
			}
			u[j] = bits.Div(left, m.entry(bits, column[0]))
			square = bits.Add(square, bits.Sqr(u[j]))
		}
		// As soon as it is known within a part of 1024.
		lo, hi := interval.Prec(64).Round(square).Lower(), interval.Prec(64).Round(square).Upper()
		more := interval.Prec(64).Mul(lo, interval.Prec(64).Rat(big.NewRat(1025, 1024)))
		if x, ok := hi.UpperRat(); ok && hi.Less(more) == interval.True {
			return x.Inv(x)
		}
	}
	return new(big.Rat)
}

// entry encloses a number of the matrix.
func (m Matrix) entry(p interval.Prec, x cell) interval.Interval {
	return p.Div(p.BigInt(x.value), p.BigInt(m.den))
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
