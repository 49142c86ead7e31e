// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package afa

import (
	"context"
	"math"

	"dpverify/float/pair"
)

// Discretised is Algorithm 2: characteristic functions of cells, where there is none in closed form. Lower and Upper
// answer with δ_min and δ_max, but for rounding and the error of the quadrature; Tail is the mass outside
// of all cells, of all copies, which is to be added to the one and taken from the other [Theorem 44].
type Discretised struct {
	Lower, Upper *Accountant
	Tail         float64
	Cells        int     // of each factor
	Range        float64 // they cover [−Range, Range], in units of the noise's scale
}

// The integral over functions of cells, which do not fall to 0: few copies of them leave one that no number of panels ends, and many
// a rest that is small beside what the cells leave unknown.
const (
	discretisedPanels = 300
	discretisedError  = 1e-11
)

// Discretise cuts [−s, s], in units of the noise's scale, into n cells, and takes in each the least loss for δ_min
// and the greatest for δ_max [Definition 39]. The masses belong to the cells: with p(o)Δ, as printed,
// neither is a bound [docs/errata.md]. It reports false for a factor that is not known here, and where all have characteristic
// functions in closed form.
func Discretise(p pair.Product, s float64, n int) (*Discretised, bool) {
	out := &Discretised{Cells: n, Range: s}
	cut := false
	for _, t := range p {
		if x, ok := t.Pair.(pair.Sampled); ok {
			d, ok := densityOf(x)
			if !ok {
				return nil, false
			}
			cut = true
			out.Tail += float64(t.Count) * d.outside(s)
		}
	}
	if !cut {
		return nil, false
	}
	for _, e := range []end{least, greatest} {
		a, ok := newAccountant(p, func(x pair.Pair) (functions, bool) {
			if x, ok := x.(pair.Sampled); ok {
				d, ok := densityOf(x)
				return d.cells(s, n, e), ok
			}
			return closed(x)
		})
		if !ok {
			return nil, false
		}
		a.panels, a.wanted = discretisedPanels, max(a.wanted, discretisedError)
		if e == greatest {
			out.Upper = a
		} else {
			out.Lower = a
		}
	}
	return out, true
}

// Covering is the least multiple of ½ that leaves next to nothing outside, at most 2^−53 of all copies.
func Covering(p pair.Product) float64 {
	s := 0.0
	for _, t := range p {
		if d, ok := densityOf(t.Pair); ok {
			for s < 1000 && float64(t.Count)*d.outside(s) > 0x1p-53 {
				s += 0.5
			}
		}
	}
	return s
}

// outside is the mass beyond ±s, the greater one of P and Q on each side.
func (d density) outside(s float64) float64 {
	return math.Max(d.cdfP(-s), d.cdfQ(-s)) + math.Max(d.beyondP(s), d.beyondQ(s))
}

// Bounds are what Algorithm 2 answers: from δ_min less the tail, and from δ_max with it.
type Bounds struct {
	Lower, Upper float64
	Guess        float64 // see Answer
	Points       int
}

// Work is the number of terms that were summed until now.
func (d *Discretised) Work() int { return d.Lower.work + d.Upper.work }

// Delta bounds δ(ε).
func (d *Discretised) Delta(ctx context.Context, eps float64) Bounds {
	lo, hi := d.Lower.Delta(ctx, eps), d.Upper.Delta(ctx, eps)
	return d.bounds(lo.Delta-d.Tail, hi.Delta+d.Tail, lo, hi)
}

// Epsilon bounds the least ε ≥ 0 with δ(ε) ≤ delta; see [Accountant.Epsilon].
func (d *Discretised) Epsilon(ctx context.Context, delta, most float64) Bounds {
	least, lo := d.Lower.Epsilon(ctx, delta+d.Tail, most)
	greatest, hi := d.Upper.Epsilon(ctx, delta-d.Tail, most)
	return d.bounds(least, greatest, lo, hi)
}

func (d *Discretised) bounds(lower, upper float64, lo, hi Answer) Bounds {
	return Bounds{lower, upper, math.Max(lo.Guess, hi.Guess), lo.Points + hi.Points}
}

// An end of the losses of a cell.
type end int

const (
	least end = iota
	greatest
)

// negligible masses of cells are left out: all of them together are not seen in float64.
const negligible = 1e-30

// cells returns the functions of cells. log P/Q does not fall, and log Q/P does not rise.
func (d density) cells(s float64, n int, e end) functions {
	if d.loss == nil {
		return functions{}
	}
	var p, q, up, down []float64
	step := 2 * s / float64(n)
	for j := range n {
		a, b := -s+float64(j)*step, -s+float64(j+1)*step
		cellP, cellQ := d.cdfP(b)-d.cdfP(a), d.cdfQ(b)-d.cdfQ(a)
		if a >= 0 { // where the distribution functions are next to 1
			cellP, cellQ = d.beyondP(a)-d.beyondP(b), d.beyondQ(a)-d.beyondQ(b)
		}
		// What is outside is neither: the two ends of the range take it, so that all masses are 1.
		if j == 0 {
			cellP, cellQ = cellP+d.cdfP(-s), cellQ+d.cdfQ(-s)
		}
		if j == n-1 {
			cellP, cellQ = cellP+d.beyondP(s), cellQ+d.beyondQ(s)
		}
		if cellP < negligible && cellQ < negligible {
			continue
		}
		p, q = append(p, cellP), append(q, cellQ)
		if e == greatest {
			up, down = append(up, d.loss(b)), append(down, -d.loss(a))
		} else {
			up, down = append(up, d.loss(a)), append(down, -d.loss(b))
		}
	}
	return d.oriented(functions{weighted(p, up), weighted(q, down), len(p)})
}
