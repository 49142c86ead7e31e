// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// ChooseStrip returns the b up to widest at which a rule whose error is to be e^−target has the longest step, and that
// step, by bounds of N for strips.
func ChooseStrip(target, widest float64, bound func(b float64) float64) (best, step float64) {
	for i := range 16 {
		b := math.Ldexp(widest*float64(4-i%2)/4, -i/2)
		h := 2 * math.Pi * b / (target + double.Log64(bound(b)))
		if step < h {
			best, step = b, h
		} else if 2*h < step {
			break // ever narrower strips need ever finer steps
		}
	}
	return best, step
}

// Spared returns how many of p bits a weight may lack that is so many nats below the greatest one.
func Spared(p interval.Prec, nats float64) interval.Prec {
	const spare = 16 // bits
	if bits := nats/math.Ln2 - spare; bits > 0 {
		return interval.Prec(min(bits, float64(p)))
	}
	return 0
}

// Lacks returns how many words values of a factor may lack, where logs bound the logarithms of the products, and own
// those of the factor: an error of the factor is multiplied by what all others are.
func Lacks(logs []double.Interval, own []float64) []int {
	const spare = 16 // bits
	lacks := make([]int, len(logs))
	fewest := math.Inf(1)
	for j := range slices.Backward(logs) {
		fewest = min(fewest, (own[j]-logs[j].Hi)/math.Ln2-spare)
		if fewest >= 64 {
			lacks[j] = int(min(fewest/64, 1<<20))
		}
	}
	return lacks
}
