// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package afa

import (
	"context"
	"math"
	"math/cmplx"

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

// The integral over functions of cells, which do not fall to 0: few copies of them leave one that no number of panels
// ends, and many a rest that is small beside what the cells leave unknown.
const (
	discretisedPanels = 300
	discretisedError  = 1e-11
)

// Discretise cuts [−s, s], in units of the noise's scale, into n cells, and takes in each the least loss for δ_min
// and the greatest for δ_max [Definition 39]. The masses belong to the cells: with p(o)Δ, as printed,
// neither is a bound [docs/errata.md]. It reports false for a factor that is not known here, and where all have
// characteristic functions in closed form.
func Discretise(p pair.Product, s float64, n int) (*Discretised, bool) {
	out := &Discretised{Cells: n, Range: s}
	var cut []*cells // of the samples in p, in turn
	for _, t := range p {
		if x, ok := t.Pair.(pair.Sampled); ok {
			d, ok := densityOf(x)
			if !ok {
				return nil, false
			}
			cut = append(cut, d.cells(s, n))
			out.Tail += float64(t.Count) * d.outside(s)
		}
	}
	if cut == nil {
		return nil, false
	}
	for _, e := range []end{least, greatest} {
		left := cut
		a, ok := newAccountant(p, func(x pair.Pair) (functions, bool) {
			if _, ok := x.(pair.Sampled); ok {
				c := left[0]
				left = left[1:]
				return c.functions(e), c != nil
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

// cells are the masses of cells under P and Q, and the losses at the borders of each. What the four sums over them
// need of a border is the same, e^(itl): for one t it is computed once.
type cells struct {
	p, q     []float64
	from, to []int     // the borders of each cell
	loss     []float64 // at the borders, which does not fall
	reversed bool      // (Q, P) is meant
	sin, cos []float64 // of t·loss, for one t
	known    map[float64]sums
}

// sums are Σ w·e^(itl), of P and for −l of Q, by end.
type sums struct{ p, q [greatest + 1]complex128 }

// cells cuts [−s, s] into n cells; nil where there is no loss.
func (d density) cells(s float64, n int) *cells {
	if d.loss == nil {
		return nil
	}
	c := &cells{reversed: d.reversed, known: make(map[float64]sums)}
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
		if last := len(c.to) - 1; last < 0 || c.loss[c.to[last]] != d.loss(a) {
			c.loss = append(c.loss, d.loss(a))
		}
		c.loss = append(c.loss, d.loss(b))
		c.p, c.q = append(c.p, cellP), append(c.q, cellQ)
		c.from, c.to = append(c.from, len(c.loss)-2), append(c.to, len(c.loss)-1)
	}
	c.sin, c.cos = make([]float64, len(c.loss)), make([]float64, len(c.loss))
	return c
}

// functions returns those of one end. log P/Q does not fall, and log Q/P does not rise.
func (c *cells) functions(e end) functions {
	if c == nil {
		return functions{}
	}
	f := functions{
		func(t float64) complex128 { return cmplx.Log(c.at(t).p[e]) },
		func(t float64) complex128 { return cmplx.Log(c.at(t).q[e]) },
		len(c.p),
	}
	if c.reversed {
		f.log, f.logReverse = f.logReverse, f.log
	}
	return f
}

func (c *cells) at(t float64) sums {
	y, ok := c.known[t]
	if ok {
		return y
	}
	for i, l := range c.loss {
		c.sin[i], c.cos[i] = math.Sincos(t * l)
	}
	for e := least; e <= greatest; e++ {
		ofP, ofQ := c.from, c.to
		if e == greatest {
			ofP, ofQ = c.to, c.from
		}
		var re, im, back, backIm float64
		for j, p := range c.p {
			u, v := ofP[j], ofQ[j]
			re += p * c.cos[u]
			im += p * c.sin[u]
			back += c.q[j] * c.cos[v]
			backIm -= c.q[j] * c.sin[v]
		}
		y.p[e], y.q[e] = complex(re, im), complex(back, backIm)
	}
	c.known[t] = y
	return y
}
