// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"cmp"
	"math"
	"slices"
)

// two is δ of two releases by its definition, with a subgradient by both distributions. With the losses in falling
// order, the losses that exceed ε together with L_i are the first c_i ones, fewer for a smaller L_i:
//
//	δ = 1 − (1 − ω)² + Σ_i (a_i·A_i − e^ε·b_i·B_i),  A_i, B_i the sums of the first c_i masses,
//	∂δ/∂a_i = 2A_i, ∂δ/∂b_i = −2e^ε·B_i, ∂δ/∂a_i = 2(1 − ω) where b_i = 0.
//
// Only pairs that count are added up, so that small values keep their digits.
func (p Problem) two(o Order, half []float64, gradient bool) (d float64, ga, gb []float64) {
	a, b := p.pair(o, half)
	losses := finite(a, b)
	var order []int
	omega := 0.0
	for i := range a {
		switch {
		case a[i] <= 0:
		case b[i] <= 0:
			omega += a[i]
		default:
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(losses[j], losses[i]) })
	sumA, sumB := make([]float64, len(order)+1), make([]float64, len(order)+1)
	for k, i := range order {
		sumA[k+1], sumB[k+1] = sumA[k]+a[i], sumB[k]+b[i]
	}
	if gradient {
		ga, gb = make([]float64, len(a)), make([]float64, len(a))
		for i := range a {
			if a[i] > 0 && b[i] <= 0 {
				ga[i] = 2 * (1 - omega)
			}
		}
	}
	grow := math.Exp(p.Eps)
	count := len(order)
	for _, i := range order {
		for count > 0 && losses[order[count-1]]+losses[i] <= p.Eps {
			count--
		}
		d += a[i]*sumA[count] - grow*b[i]*sumB[count]
		if gradient {
			ga[i], gb[i] = 2*sumA[count], -2*grow*sumB[count]
		}
	}
	return math.Max(d, 0) + omega*(2-omega), ga, gb
}
