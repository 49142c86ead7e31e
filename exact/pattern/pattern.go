// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package pattern describes in which steps of a matrix mechanism a record takes part at random, and how far that moves
// what is released.
package pattern

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/participation"
)

// A Draw is how a pattern of steps is drawn.
type Draw int

const (
	// Apart: steps that are Size apart or more, each with the rate where it may be, in the stationary law.
	Apart Draw = iota
	// Shifted: each step with the rate of those that are congruent to a uniform number modulo Size.
	Shifted
	// Chosen: Size of all steps.
	Chosen
)

// A Law is that of a pattern π, with columns c_t ≥ 0 of a matrix.
type Law struct {
	Draw  Draw
	Size  int64
	Rate  *big.Rat // in (0, 1]; nil for Chosen
	Rows  []participation.Row
	Most  *big.Rat // at least |Σ_{t∈π} c_t|² for all π
	Even  *big.Rat // at most a τ² such that all ⟨c_s, c_t⟩ − τ² are a positive semidefinite matrix
	Limit int64    // at least |π|
}

// New returns the law for a matrix whose squares are scaled; false if that is too much work.
func New(k Draw, size int64, rate *big.Rat, m participation.Matrix, steps int64, scale *big.Rat) (Law, bool) {
	x := Law{Draw: k, Size: size, Rate: rate, Limit: size}
	which := participation.Pattern{MinSeparation: 1, MaxParticipations: size}
	if k != Chosen {
		x.Limit = (steps + size - 1) / size
		which = participation.Pattern{MinSeparation: size, MaxParticipations: x.Limit}
	}
	of := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, scale) }
	rows, ok := m.Rows()
	if !ok {
		return x, false
	}
	for _, row := range rows {
		y := participation.Row{Count: row.Count}
		for _, z := range row.Products {
			y.Products = append(y.Products, of(z))
		}
		x.Rows = append(x.Rows, y)
	}
	_, most := m.Sensitivity(which)
	x.Most, x.Even = of(most), of(m.Even())
	return x, true
}

// String describes the law: equal strings mean equal laws.
func (x Law) String() string {
	rows := make([]string, len(x.Rows))
	for i, r := range x.Rows {
		products := make([]string, len(r.Products))
		for d, y := range r.Products {
			products[d] = y.RatString()
		}
		rows[i] = fmt.Sprintf("%d·(%s)", r.Count, strings.Join(products, ", "))
	}
	rate := ""
	if x.Rate != nil {
		rate = ", " + x.Rate.RatString()
	}
	return fmt.Sprintf("%s %d%s: %s", [...]string{"apart", "shifted", "chosen"}[x.Draw], x.Size, rate,
		strings.Join(rows, "; "))
}

// Steps is how many there are.
func (x Law) Steps() (n int64) {
	for _, r := range x.Rows {
		n += r.Count
	}
	return n
}

// Greatest are the squared norms of columns that are congruent modulo Size, in falling order: each the greatest of its
// place in the order over all classes, without those that are 0.
func (x Law) Greatest() (out []*big.Rat) {
	classes := make([][]*big.Rat, min(x.Size, x.Steps()))
	t := int64(0)
	for _, r := range x.Rows {
		for range r.Count {
			class := &classes[t%x.Size]
			*class = append(*class, r.Products[0])
			t++
		}
	}
	for _, of := range classes {
		slices.SortFunc(of, func(a, b *big.Rat) int { return b.Cmp(a) })
		for i, y := range of {
			switch {
			case y.Sign() == 0:
			case i == len(out):
				out = append(out, y)
			case y.Cmp(out[i]) > 0:
				out[i] = y
			}
		}
	}
	return out
}

// Widest are the greatest products of two columns that are 0, 1, 2, … steps apart, up to the last that is not 0.
func (x Law) Widest() (widest []*big.Rat) {
	for _, r := range x.Rows {
		for d, y := range r.Products {
			if d == len(widest) {
				widest = append(widest, y)
			} else if y.Cmp(widest[d]) > 0 {
				widest[d] = y
			}
		}
	}
	return widest
}

// Norms are the least squared norm of a column, and a bound of the sums of its products with all columns.
func (x Law) Norms() (least, most *big.Rat) {
	most = new(big.Rat)
	for _, r := range x.Rows {
		if least == nil || r.Products[0].Cmp(least) < 0 {
			least = r.Products[0]
		}
	}
	for d, y := range x.Widest() {
		most.Add(most, y)
		if d > 0 {
			most.Add(most, y)
		}
	}
	return least, most
}
