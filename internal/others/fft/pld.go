// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fft

import (
	"math"

	"dpverify/float/pair"
)

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
