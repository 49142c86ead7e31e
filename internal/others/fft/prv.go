// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fft

import (
	"math"

	"dpverify/float/pair"
)

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
