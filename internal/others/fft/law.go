// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package fft is three accountants of the literature that put the privacy loss on a grid and convolve by the fast
// Fourier transform, each with the grid, the rounding and the error terms of its own publication:
//
//   - [FourierUpper]: Koskela & Honkela 2021, "Computing differential privacy guarantees for heterogeneous compositions
//     using FFT";
//   - [PRV]: Gopi, Lee & Wutschitz 2021, "Numerical composition of differential privacy";
//   - [PLD]: Google's accountant, as its documentation has it [Doroshenko et al. 2022; "Privacy loss distributions",
//     2020].
//
// They are something to compare with: float64, without a bound of its roundings. Package float/pld is an accountant of
// this kind that bounds its own error, and package exact proves its answers.
package fft

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// A law is the law of the loss log P/Q of one pair under P.
type law struct {
	cdf      func(x float64) float64 // of finite losses, divided by their mass
	infinite float64                 // the mass of infinite loss
	mean     float64                 // of finite losses
	// log E e^(λL) over finite losses, divided by their mass, for any real λ
	moment func(lambda float64) float64
	atoms  []atom // if there are finitely many losses
}

type atom struct{ loss, mass float64 }

// lawOf returns the law of a pair; false if it is not known here.
func lawOf(x pair.Pair) (law, bool) {
	switch x := x.(type) {
	case pair.Gaussian: // L is normal, of mean μ²/2 and variance μ²
		mu2 := value.Rat(x.Mu2).V
		return law{
			cdf:    func(x float64) float64 { return math.Erfc(-(x-mu2/2)/math.Sqrt(2*mu2)) / 2 },
			mean:   mu2 / 2,
			moment: func(l float64) float64 { return mu2 * l * (l + 1) / 2 },
		}, mu2 > 0
	case pair.Discrete:
		return discrete(x)
	}
	return law{}, false
}

func discrete(x pair.Discrete) (law, bool) {
	var l law
	finite := 0.0
	for _, o := range x.Outcomes {
		switch {
		case o.P.V == 0:
		case o.Q.V == 0:
			l.infinite += o.P.V
		default:
			l.atoms = append(l.atoms, atom{o.Loss.V, o.P.V})
			finite += o.P.V
		}
	}
	if x.Rest != 0 || finite == 0 {
		return law{}, false
	}
	for i := range l.atoms {
		l.atoms[i].mass /= finite
		l.mean += l.atoms[i].mass * l.atoms[i].loss
	}
	l.cdf = func(x float64) float64 {
		sum := 0.0
		for _, a := range l.atoms {
			if a.loss <= x {
				sum += a.mass
			}
		}
		return sum
	}
	l.moment = func(lambda float64) float64 {
		greatest := math.Inf(-1)
		for _, a := range l.atoms {
			greatest = math.Max(greatest, lambda*a.loss)
		}
		sum := 0.0
		for _, a := range l.atoms {
			sum += a.mass * math.Exp(lambda*a.loss-greatest)
		}
		return greatest + math.Log(sum)
	}
	return l, true
}

// A copies is a law and how often it occurs.
type copies struct {
	law
	count float64
}

// lawsOf returns the laws of a product, and the mass of infinite loss of all, 1 − (1 − δ)^k as all three have it: 1 − δ
// is rounded, and in float64 that alone is k·2^−54 of δ.
func lawsOf(p pair.Product) (laws []copies, infinite float64, ok bool) {
	finite := 1.0
	for _, t := range p {
		l, ok := lawOf(t.Pair)
		if !ok {
			return nil, 0, false
		}
		laws = append(laws, copies{l, float64(t.Count)})
		finite *= math.Pow(1-l.infinite, float64(t.Count))
	}
	return laws, 1 - finite, len(laws) > 0
}

// beyond is Chernoff's bound: the sum of finite losses is above it with probability at most tail; or, downward, its
// mirror image.
func beyond(laws []copies, tail, sign float64) float64 {
	least := math.Inf(1)
	for lambda := 1.0 / 64; lambda < 1<<14; lambda *= 1.25 {
		sum := -math.Log(tail)
		for _, l := range laws {
			sum += l.count * l.moment(sign*lambda)
		}
		least = math.Min(least, sum/lambda)
	}
	return sign * least
}

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
