// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fft

import (
	"math"

	"dpverify/float/pair"
)

// FourierUpper is the accountant of Koskela & Honkela 2021: n points on [−l, l), each loss rounded up to the next of
// them, and one transform for each factor. Losses of one factor beyond ±l are at its ends, and what goes round the
// circle is not corrected. n should have small prime factors. It reports false for a factor that is not known here.
func FourierUpper(p pair.Product, l float64, n int) (*Grid, bool) { return byCircle(p, l, n, 0) }

// FourierLower is FourierUpper with each loss rounded down.
func FourierLower(p pair.Product, l float64, n int) (*Grid, bool) { return byCircle(p, l, n, 1) }

// byCircle gives point i the losses that end so many steps above it.
func byCircle(p pair.Product, l float64, n int, above float64) (*Grid, bool) {
	laws, infinite, ok := lawsOf(p)
	if !ok {
		return nil, false
	}
	step := 2 * l / float64(n)
	var factors [][]float64
	var counts []float64
	for _, x := range laws {
		masses := make([]float64, n)
		last := 0.0
		for i := -n / 2; i < n-n/2; i++ {
			f := 1.0
			if i < n-n/2-1 {
				f = x.cdf(float64(i)*step + above*step)
			}
			masses[at(i, n)] = f - last
			last = f
		}
		factors, counts = append(factors, masses), append(counts, x.count)
	}
	sum := convolve(n, factors, counts)
	finite := 1 - infinite
	for i := range sum {
		sum[i] *= finite
	}
	return newGrid(-float64(n/2)*step, step, infinite, sum), true
}

// FourierPoints is how many points the accountant needs on [−l, l) for an error of at most most of δ(ε): what it leaves
// open between rounding up and down with n points is scaled, since it is proportional to 1/n.
func FourierPoints(p pair.Product, l float64, n int, eps, most float64) (float64, bool) {
	upper, ok := FourierUpper(p, l, n)
	if !ok {
		return 0, false
	}
	lower, _ := FourierLower(p, l, n)
	return math.Ceil(float64(n) * (upper.Delta(eps) - lower.Delta(eps)) / most), true
}

// What Google's accountant takes unless it is told otherwise.
const (
	PLDInterval   = 1e-4  // between losses
	PLDTruncation = 1e-15 // of the mass of a composition
)

// PLD is Google's accountant for products of pairs of finitely many losses: each is laws up to a multiple of the
// interval, and what a composition has beyond Chernoff's bounds, half of the truncation on each side, is left out; all
// of the truncation counts as infinite loss. It reports false for a factor that is not known here.
func PLD(p pair.Product, interval, truncation float64) (*Grid, bool) {
	laws, infinite, ok := lawsOf(p)
	if !ok {
		return nil, false
	}
	least, most := 0.0, 0.0
	for _, x := range laws {
		if x.atoms == nil {
			return nil, false
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, a := range x.atoms {
			i := math.Ceil(a.loss / interval)
			lo, hi = math.Min(lo, i), math.Max(hi, i)
		}
		least, most = least+x.count*lo, most+x.count*hi
	}
	n := powerOfTwo(2*math.Max(-least, most) + 2)
	var factors [][]float64
	var counts []float64
	for _, x := range laws {
		masses := make([]float64, n)
		for _, a := range x.atoms {
			masses[at(int(math.Ceil(a.loss/interval)), n)] += a.mass
		}
		factors, counts = append(factors, masses), append(counts, x.count)
	}
	sum := convolve(n, factors, counts)
	first := -float64(n/2) * interval
	from, to := beyond(laws, truncation/2, -1), beyond(laws, truncation/2, 1)
	for i := range sum {
		if x := first + float64(i)*interval; x < from || x > to {
			sum[i] = 0
		}
		sum[i] *= 1 - infinite
	}
	return newGrid(first, interval, math.Min(1, infinite+truncation), sum), true
}

// PRV is the accountant of Gopi, Lee & Wutschitz 2021.
type PRV struct {
	*Grid
	EpsError, DeltaError float64
	// Points is n = 2L/h by the paper's choice of both; the transform has the next power of two.
	Points float64
}

// PRVPoints are L, h and n = 2L/h for errors of ε and δ [Theorem 5.5, Remark 5.6]: h = ε_err/√(k/2·log(12/δ_err)), and
// L is 3 more than what the sum of losses exceeds with probability at most δ_err/4, and one loss with δ_err/(8k):
// Chernoff's bounds, which are at most the paper's bounds by Rényi divergences.
func PRVPoints(p pair.Product, epsError, deltaError float64) (l, h, n float64, ok bool) {
	laws, _, ok := lawsOf(p)
	if !ok {
		return 0, 0, 0, false
	}
	k := 0.0
	for _, x := range laws {
		k += x.count
	}
	l = math.Max(epsError, beyond(laws, deltaError/4, 1))
	for _, x := range laws {
		l = math.Max(l, beyond([]copies{{x.law, 1}}, deltaError/(8*k), 1))
	}
	l += 3
	h = epsError / math.Sqrt(k/2*math.Log(12/deltaError))
	return l, h, math.Ceil(2 * l / h), true
}

// NewPRV returns the accountant; false if a factor is not known here. Cells of width h around the points have their
// mass, and the points are moved so that the mean of each factor is right [Algorithm 2].
func NewPRV(p pair.Product, epsError, deltaError float64) (*PRV, bool) {
	_, h, points, ok := PRVPoints(p, epsError, deltaError)
	if !ok {
		return nil, false
	}
	laws, infinite, _ := lawsOf(p)
	n := powerOfTwo(points)
	shift := 0.0
	var factors [][]float64
	var counts []float64
	for _, x := range laws {
		masses := make([]float64, n)
		sum, mean := 0.0, 0.0
		last := x.cdf((-float64(n/2) - 0.5) * h)
		for i := -n / 2; i < n/2; i++ {
			f := x.cdf((float64(i) + 0.5) * h)
			masses[at(i, n)] = f - last
			sum, mean, last = sum+f-last, mean+(f-last)*float64(i)*h, f
		}
		for i := range masses {
			masses[i] /= sum
		}
		shift += x.count * (x.mean - mean/sum)
		factors, counts = append(factors, masses), append(counts, x.count)
	}
	sum := convolve(n, factors, counts)
	for i := range sum {
		sum[i] *= 1 - infinite
	}
	return &PRV{newGrid(-float64(n/2)*h+shift, h, infinite, sum), epsError, deltaError, points}, true
}

// EpsilonBounds are its bounds of the least ε at a δ [Theorem 5.5].
func (a *PRV) EpsilonBounds(delta float64) (lower, upper float64) {
	return a.Epsilon(delta+a.DeltaError) - a.EpsError, a.Epsilon(delta-a.DeltaError) + a.EpsError
}
