// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fft

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// A Grid is the law of a sum of losses on the points first + i·step, beside a mass of infinite loss.
type Grid struct {
	first, step float64
	infinite    float64
	// Σ_{j ≥ i} p_j and Σ_{j ≥ i} p_j·e^(−x_j)
	above, weighed []float64
}

// newGrid sums up masses.
func newGrid(first, step, infinite float64, masses []float64) *Grid {
	n := len(masses)
	g := &Grid{first, step, infinite, make([]float64, n+1), make([]float64, n+1)}
	for i := n - 1; i >= 0; i-- {
		x := first + float64(i)*step
		g.above[i] = g.above[i+1] + masses[i]
		g.weighed[i] = g.weighed[i+1]
		if masses[i] != 0 {
			g.weighed[i] += masses[i] * math.Exp(-x)
		}
	}
	return g
}

// Delta is δ(ε) = P(L = ∞) + Σ_{x > ε} (1 − e^(ε − x))·p(x).
func (g *Grid) Delta(eps float64) float64 {
	i := int(math.Floor((eps-g.first)/g.step)) + 1
	i = min(max(i, 0), len(g.above)-1)
	return g.infinite + g.above[i] - math.Exp(eps)*g.weighed[i]
}

// Epsilon is the least ε ≥ 0 with δ(ε) ≤ delta, by bisection; ∞ if there is none.
func (g *Grid) Epsilon(delta float64) float64 {
	lo, hi := 0.0, math.Max(1, g.first+float64(len(g.above))*g.step)
	switch {
	case g.Delta(lo) <= delta:
		return 0
	case g.Delta(hi) > delta:
		return math.Inf(1)
	}
	for range 100 {
		if mid := (lo + hi) / 2; g.Delta(mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// convolve returns the circular convolution of powers of masses, where index i of each, and of the sum, stands for the
// loss i·step, and the upper half of the indices for negative losses; from the least loss on.
func convolve(n int, factors [][]float64, counts []float64) []float64 {
	t := fourier.NewFFT(n)
	var product []complex128
	for k, f := range factors {
		c := t.Coefficients(nil, f)
		if product == nil {
			product = make([]complex128, len(c))
			for i := range product {
				product[i] = 1
			}
		}
		for i, y := range c {
			product[i] *= cmplx.Pow(y, complex(counts[k], 0))
		}
	}
	sum := t.Sequence(nil, product)
	out := make([]float64, 0, n)
	for i := range n {
		out = append(out, sum[(i+n-n/2)%n]/float64(n))
	}
	return out
}

// at is the index of i·step on a circle of n points.
func at(i, n int) int { return ((i % n) + n) % n }

// powerOfTwo is the least one that is at least x.
func powerOfTwo(x float64) int {
	n := 2
	for float64(n) < x {
		n *= 2
	}
	return n
}
