// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package likely

import (
	"math"
	"sync"

	"dpverify/exact/double"
)

// A Normal is near a component of a mixture of normal distributions of variance 1.
type Normal struct{ Mean, LogProb float64 }

// A Table holds log A and log B of two mixtures φ·A and φ·B at its rows, for choices of parameters.
type Table struct {
	First  int              // the row of its first entry
	A, B   []float64        // log A and log B, one a row
	G      []float64        // −log g of what is thinned, see package thinning
	masses func() []float64 // φ·A/TableStep
	Slopes func() []float64 // B′/B
}

// Tables are larger and larger ones, which are made when they are asked for.
type Tables [3]func() *Table

const (
	// TableStep is the number of rows between two integers.
	TableStep = 8
	// TableSize is the number of rows of large tables on either side of 0.
	TableSize = 128 * TableStep
	// rootTwoPi is √(2π).
	rootTwoPi = 2.5066282746310002
)

// Point returns the number of row i.
func Point(i int) float64 { return float64(i-TableSize) / TableStep }

// Point returns the number of entry i.
func (t *Table) Point(i int) float64 { return Point(t.First + i) }

// NewTables returns the tables of two mixtures. g is −log g, or nil.
func NewTables(a, b []Normal, g func(x float64) float64) Tables {
	var ts Tables
	inner := func() *Table { return nil }
	for i, size := range []int{16 * TableStep, 32 * TableStep, TableSize} { // most questions need no others than the first
		smaller := inner
		ts[i] = sync.OnceValue(func() *Table { return newTable(a, b, g, size, smaller()) })
		inner = ts[i]
	}
	return ts
}

// newTable returns a table that has the entries of a smaller one.
func newTable(a, b []Normal, g func(x float64) float64, size int, inner *Table) *Table {
	n := 2*size + 1
	t := &Table{First: TableSize - size, A: make([]float64, n), B: make([]float64, n), G: make([]float64, n)}
	for i := 0; i < n; i++ {
		if inner != nil && t.First+i == inner.First {
			copy(t.A[i:], inner.A)
			copy(t.B[i:], inner.B)
			copy(t.G[i:], inner.G)
			i += len(inner.A) - 1
			continue
		}
		x := t.Point(i)
		t.A[i], t.B[i] = logSum(a, x), logSum(b, x)
		if g != nil {
			t.G[i] = g(x)
		}
	}
	each := func(f func(i int, x float64) float64) func() []float64 {
		return sync.OnceValue(func() []float64 {
			out := make([]float64, n)
			for i := range out {
				out[i] = f(i, t.Point(i))
			}
			return out
		})
	}
	t.masses = each(func(i int, x float64) float64 {
		return double.Exp64(t.A[i]-float64(x*x/2)) / (TableStep * rootTwoPi)
	})
	t.Slopes = each(func(i int, x float64) (sum float64) {
		for _, c := range b {
			sum += float64(c.Mean * double.Exp64(c.LogProb+float64(c.Mean*(x-float64(c.Mean/2)))-t.B[i]))
		}
		return sum
	})
	return t
}

// logSum is near log Σ p_i·e^{m_i·x − m_i²/2}.
func logSum(cs []Normal, x float64) float64 {
	const few, negligible = 8, -40
	var room [few]float64
	at, top := room[:0], math.Inf(-1)
	for _, c := range cs {
		y := c.LogProb + float64(c.Mean*(x-float64(c.Mean/2)))
		at, top = append(at, y), max(top, y)
	}
	if len(at) == 1 || math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	sum := 0.0
	for _, y := range at {
		if y -= top; y == 0 {
			sum++
		} else if y > negligible {
			sum += double.Exp64(y)
		}
	}
	return top + double.Log64(sum)
}

// Bulk returns so many copies of the mixtures without a mass of budget at either end, where the means of A are within
// farthest. A small table is enough if its ends are far beyond.
func (ts Tables) Bulk(count, budget, farthest float64) Term {
	const beyond = 0x1p-60
	t := ts[0]()
	mass, end := t.masses(), -t.Point(0)
	if !(max(mass[0], mass[len(mass)-1]) < budget*beyond && farthest < end/2) {
		t = ts[len(ts)-1]()
		mass = t.masses()
	}
	first, last := 0, len(mass)-1
	for sum := mass[first]; sum < budget && first < last; sum += mass[first] {
		first++
	}
	for sum := mass[last]; sum < budget && first < last; sum += mass[last] {
		last--
	}
	b := Term{Count: count, Weights: mass[first : last+1], Losses: make([]float64, 0, last+1-first)}
	for k := first; k <= last; k++ {
		b.Losses = append(b.Losses, t.A[k]-t.B[k])
	}
	return b
}
