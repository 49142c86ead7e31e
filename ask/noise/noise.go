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
	"math"
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

// Moments returns E|X| and E X² of noise, exactly, the spread inside of cells included.
//
// On the cell [i, i+1) of width 1, i ≥ 0, the mean of x is i + 1/2 and the mean of x² is
// i² + i + 1/3.
func Moments(e mechanism.AdditiveNoise) (first, second *big.Rat) {
	first, second = new(big.Rat), new(big.Rat)
	n := len(e.Probabilities)
	for j, p := range e.Probabilities {
		i, mean, square := int64(j-n/2), new(big.Rat), new(big.Rat)
		if i < 0 && e.Kind == mechanism.Density {
			i = -1 - i // the mirror image
		}
		if i < 0 {
			i = -i
		}
		mean.SetInt64(i)
		square.SetInt64(i * i)
		if e.Kind == mechanism.Density {
			mean.Add(mean, big.NewRat(1, 2))
			square.Add(square, big.NewRat(3*i+1, 3))
		}
		first.Add(first, mean.Mul(mean, p))
		second.Add(second, square.Mul(square, p))
	}
	first.Mul(first, e.Cell)
	return first, second.Mul(second, new(big.Rat).Mul(e.Cell, e.Cell))
}

// Weights returns c with Σ 2·c_k·p_k = E|X| (L1) or E X² (L2) of half masses p.
func (g Grid) Weights(norm Norm) []float64 {
	w, c := g.Width(), make([]float64, g.N)
	for k := range c {
		x := float64(k)
		switch norm {
		case L1:
			c[k] = (x + 0.5) * w
		case L2:
			c[k] = (x*x + x + 1.0/3) * w * w
		}
	}
	return c
}

// Utility returns E|X| (L1) or (E X²)^½ (L2) of half masses, in float64.
func (g Grid) Utility(norm Norm, half []float64) float64 {
	sum := 0.0
	for k, c := range g.Weights(norm) {
		sum += 2 * c * half[k]
	}
	if norm == L2 {
		return math.Sqrt(sum)
	}
	return sum
}
