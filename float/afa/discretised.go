// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package afa

import (
	"math"

	"dpverify/float/pair"
)

// Discretised is Algorithm 2: characteristic functions of cells. Lower and Upper answer with δ_min and
// δ_max, but for rounding and the error of the quadrature; Tail is the mass outside of all cells, of all
// copies, which is to be added to the one and taken from the other [Theorem 44].
type Discretised struct {
	Lower, Upper *Accountant
	Tail         float64
}

// Discretise cuts [−s, s], in units of the noise's scale, into n cells, and takes in each the least loss for δ_min
// and the greatest for δ_max [Definition 39]. The masses belong to the cells: with p(o)Δ, as printed,
// neither is a bound [docs/errata.md]. Discrete factors are as they are. It reports false for a factor that is not known here.
func Discretise(p pair.Product, s float64, n int) (*Discretised, bool) {
	out := new(Discretised)
	for _, e := range []end{least, greatest} {
		a, ok := newAccountant(p, func(x pair.Pair) (functions, bool) {
			if d, ok := x.(pair.Discrete); ok {
				return discrete(d), true
			}
			d, ok := densityOf(x)
			if !ok {
				return functions{}, false
			}
			return d.cells(s, n, e), true
		})
		if !ok {
			return nil, false
		}
		if e == greatest {
			out.Upper = a
		} else {
			out.Lower = a
		}
	}
	for _, t := range p {
		if d, ok := densityOf(t.Pair); ok {
			out.Tail += float64(t.Count) * (math.Max(d.cdfP(-s), d.cdfQ(-s)) + math.Max(1-d.cdfP(s), 1-d.cdfQ(s)))
		}
	}
	return out, true
}

// An end of the losses of a cell.
type end int

const (
	least end = iota
	greatest
)

// cells returns the functions of cells. log P/Q does not fall, and log Q/P does not rise.
func (d density) cells(s float64, n int, e end) functions {
	p, q := make([]float64, n), make([]float64, n)
	up, down := make([]float64, n), make([]float64, n)
	step := 2 * s / float64(n)
	for j := range n {
		a, b := -s+float64(j)*step, -s+float64(j+1)*step
		p[j], q[j] = d.cdfP(b)-d.cdfP(a), d.cdfQ(b)-d.cdfQ(a)
		up[j], down[j] = d.loss(a), -d.loss(b)
		if e == greatest {
			up[j], down[j] = d.loss(b), -d.loss(a)
		}
	}
	// What is outside is neither: the two ends of the range take it, so that all masses are 1.
	p[0], q[0] = p[0]+d.cdfP(-s), q[0]+d.cdfQ(-s)
	p[n-1], q[n-1] = p[n-1]+1-d.cdfP(s), q[n-1]+1-d.cdfQ(s)
	return d.oriented(functions{weighted(p, up), weighted(q, down), n})
}
