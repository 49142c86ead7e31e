// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package noise has additive noise on cells: grids, masses, how far the noise moves an
// answer, what is compared with it, and exact samples.
//
// All noise here is symmetric and falls from 0 on both sides. It is uniform inside of each of
// 2N cells of one width on [−r, r], r = N cells; its half masses are the masses of the N cells at the
// right of 0, with sum 1/2.
package noise

import (
	"fmt"
	"math/big"

	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Grid is N cells of one width on each side of 0, and the most that a query may move by: Shift cells.
type Grid struct {
	N, Shift int
	Cell     *big.Rat // the width, > 0
}

// MaxCells bounds the cells on one side.
const MaxCells = 1 << 20

// NewGrid returns the grid of a range and a sensitivity, both multiples of the cell.
func NewGrid(radius, sensitivity, cell *big.Rat) (Grid, error) {
	if cell.Sign() <= 0 {
		return Grid{}, fmt.Errorf("noise: cell = %s, want a number > 0", show.Cut(number.Format(cell)))
	}
	count := func(name string, x *big.Rat) (int, error) {
		n := new(big.Rat).Quo(x, cell)
		if !n.IsInt() || n.Sign() <= 0 || n.Num().Cmp(big.NewInt(MaxCells)) > 0 {
			return 0, fmt.Errorf("noise: %s = %s, want a multiple of the cell, %s, of at most %d cells", name,
				show.Cut(number.Format(x)), show.Cut(number.Format(cell)), MaxCells)
		}
		return int(n.Num().Int64()), nil
	}
	n, err := count("range", radius)
	if err != nil {
		return Grid{}, err
	}
	m, err := count("sensitivity", sensitivity)
	return Grid{n, m, cell}, err
}

// Width returns the width of a cell.
func (g Grid) Width() float64 { return number.Float64(g.Cell) }

// A Norm is what is expected of the noise X.
type Norm int

const (
	L1 Norm = 1 + iota // E|X|
	L2                 // (E X²)^½
)

// String returns the norm as commands name it.
func (n Norm) String() string {
	if n == L2 {
		return "l2"
	}
	return "l1"
}

// Event returns noise of the given masses as an event.
func (g Grid) Event(masses []*big.Rat) mechanism.AdditiveNoise {
	return mechanism.AdditiveNoise{Probabilities: masses, Cell: g.Cell,
		Sensitivity: new(big.Rat).Mul(g.Cell, big.NewRat(int64(g.Shift), 1)), Kind: mechanism.Density}
}

// Bits is the precision of rounded masses: they are multiples of 2^−Bits.
const Bits = 128

// Round returns the masses of all 2N cells: half masses, up to a factor, rounded to multiples of
// 2^−Bits, exactly symmetric, with sum exactly 1, and falling if the half masses are.
//
// ⌊w_k·2^(Bits−1)/Σw⌋ falls with w_k, and what is missing to the sum, less than one unit a
// cell, goes to the cell next to 0, which is the greatest. Float64 values are taken exactly.
func Round(half []float64) []*big.Rat {
	const scale = 1074 // every float64 is a multiple of 2^−1074
	ws := make([]*big.Int, len(half))
	total := new(big.Int)
	for k, x := range half {
		f := new(big.Float).SetMantExp(big.NewFloat(x), scale)
		ws[k], _ = f.Int(nil)
		total.Add(total, ws[k])
	}
	left := new(big.Int).Lsh(big.NewInt(1), Bits-1)
	for _, w := range ws {
		w.Quo(w.Lsh(w, Bits-1), total)
		left.Sub(left, w)
	}
	ws[0].Add(ws[0], left)
	unit := new(big.Int).Lsh(big.NewInt(1), Bits)
	n := len(ws)
	masses := make([]*big.Rat, 2*n)
	for k, w := range ws {
		m := new(big.Rat).SetFrac(w, unit)
		masses[n+k], masses[n-1-k] = m, m
	}
	return masses
}
