// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"math"
	"math/big"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Family is noise of one shape, of which one parameter says how wide it is.
type Family struct {
	Name string
	half func(g Grid, eps, scale float64) []float64
}

// Families are what learned noise is compared with, cut at the range: the Gaussian of standard
// deviation scale, Laplace noise of that scale, and the staircase of eps on a range cut further,
// at scale.
var Families = []Family{
	{"truncated Gaussian", func(g Grid, _, sigma float64) []float64 {
		return g.fromTail(func(x float64) float64 { return math.Erfc(x / (sigma * math.Sqrt2)) })
	}},
	{"truncated Laplace", func(g Grid, _, b float64) []float64 {
		return g.fromTail(func(x float64) float64 { return math.Exp(-x / b) })
	}},
	{"truncated staircase", staircase},
}

// Half returns the half masses of the family at a scale > 0.
func (f Family) Half(g Grid, eps, scale float64) []float64 { return Normalised(f.half(g, eps, scale)) }

// fromTail returns the masses between cells' borders of a tail.
func (g Grid) fromTail(tail func(float64) float64) []float64 {
	p, w := make([]float64, g.N), g.Width()
	above := tail(0)
	for k := range p {
		next := tail(float64(k+1) * w)
		p[k] = above - next
		above = next
	}
	return p
}

// staircase is the noise of Geng & Viswanath 2014 of one release of pure eps-DP: its density falls by
// e^−eps with every sensitivity, at the part γ = 1/(1 + e^(eps/2)) of it. It ends at cut.
func staircase(g Grid, eps, cut float64) []float64 {
	p, w := make([]float64, g.N), g.Width()
	s := float64(g.Shift) * w
	gamma := 1 / (1 + math.Exp(eps/2))
	height := func(x float64) float64 { return math.Exp(-eps * (math.Floor(x/s-gamma) + 1)) }
	for k := range p {
		lo, hi := float64(k)*w, math.Min(float64(k+1)*w, cut)
		if hi <= lo {
			break
		}
		// A cell has at most one step inside of it: s is at least one cell.
		step := s * (math.Ceil(lo/s-gamma) + gamma)
		if step <= lo || step >= hi {
			p[k] = (hi - lo) * height((lo+hi)/2)
			continue
		}
		p[k] = (step-lo)*height((lo+step)/2) + (hi-step)*height((step+hi)/2)
	}
	return p
}

// Normalised scales masses to the sum 1/2.
func Normalised(p []float64) []float64 {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	for k := range p {
		p[k] /= 2 * sum
	}
	return p
}

// AtUtility returns the scale at which a family has the given utility, between next to
// nothing and what is next to flat. It reports false if there is none.
func (f Family) AtUtility(g Grid, eps float64, norm Norm, utility float64) (scale float64, ok bool) {
	r := float64(g.N) * g.Width()
	return Bisect(g.Width()/100, 1e3*r, func(scale float64) bool {
		return g.Utility(norm, f.Half(g, eps, scale)) >= utility
	})
}

// Bisect returns where a condition that holds from some point on begins to hold, up to one part in
// 10^8. It reports false if it holds nowhere or everywhere.
func Bisect(lo, hi float64, holds func(float64) bool) (float64, bool) {
	if holds(lo) || !holds(hi) {
		return 0, false
	}
	for hi > lo*(1+1e-8) {
		x := math.Sqrt(lo) * math.Sqrt(hi)
		if x <= lo || x >= hi {
			break
		}
		if holds(x) {
			hi = x
		} else {
			lo = x
		}
	}
	return hi, true
}

// GridOf returns the grid of noise with whole cells on both sides, and a sensitivity that is a multiple of the cell.
func GridOf(e mechanism.AdditiveNoise) Grid {
	return Grid{N: len(e.Probabilities) / 2, Shift: int(new(big.Rat).Quo(e.Sensitivity, e.Cell).Num().Int64()),
		Cell: e.Cell}
}

// Beside returns noise of the family on the cells of e, rounded to exact masses, with a utility loss that is
// about the utility loss of e, more by one part in 10^7. It reports false if there is none.
func (f Family) Beside(e mechanism.AdditiveNoise, eps float64, norm Norm) (mechanism.AdditiveNoise, bool) {
	g := GridOf(e)
	first, second := Moments(e)
	u := number.Float64(first)
	if norm == L2 {
		u = math.Sqrt(number.Float64(second))
	}
	scale, ok := f.AtUtility(g, eps, norm, u*(1+1e-7))
	if !ok {
		return mechanism.AdditiveNoise{}, false
	}
	return g.Event(Round(f.Half(g, eps, scale))), true
}
