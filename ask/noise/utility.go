// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"math"
	"math/big"

	"dpverify/mechanism"
)

// Moments returns E|X| and E X² of noise, exactly, the spread inside of cells included.
//
// On the cell [i, i+1) of width 1, i ≥ 0, the mean of x is i + 1/2 and the mean of x² is
// i² + i + 1/3.
func Moments(e mechanism.AdditiveNoise) (first, second *big.Rat) {
	first, second = new(big.Rat), new(big.Rat)
	n := len(e.Probabilities)
	for j, p := range e.Probabilities {
		i, mean, square := int64(j-n/2), new(big.Rat), new(big.Rat)
		if i < 0 && e.Kind == mechanism.Density {
			i = -1 - i // the mirror image
		}
		if i < 0 {
			i = -i
		}
		mean.SetInt64(i)
		square.SetInt64(i * i)
		if e.Kind == mechanism.Density {
			mean.Add(mean, big.NewRat(1, 2))
			square.Add(square, big.NewRat(3*i+1, 3))
		}
		first.Add(first, mean.Mul(mean, p))
		second.Add(second, square.Mul(square, p))
	}
	first.Mul(first, e.Cell)
	return first, second.Mul(second, new(big.Rat).Mul(e.Cell, e.Cell))
}

// Weights returns c with Σ 2·c_k·p_k = E|X| (L1) or E X² (L2) of half masses p.
func (g Grid) Weights(norm Norm) []float64 {
	w, c := g.Width(), make([]float64, g.N)
	for k := range c {
		x := float64(k)
		switch norm {
		case L1:
			c[k] = (x + 0.5) * w
		case L2:
			c[k] = (x*x + x + 1.0/3) * w * w
		}
	}
	return c
}

// Utility returns E|X| (L1) or (E X²)^½ (L2) of half masses, in float64.
func (g Grid) Utility(norm Norm, half []float64) float64 {
	sum := 0.0
	for k, c := range g.Weights(norm) {
		sum += 2 * c * half[k]
	}
	if norm == L2 {
		return math.Sqrt(sum)
	}
	return sum
}
