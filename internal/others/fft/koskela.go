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
