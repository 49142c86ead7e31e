// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import (
	"math"
)

// A Loss is what stands for δ(ε) while a stack of sigmoids is learned [Sommer, Abfalterer, Zingg &
// Mohammadi 2021, §3.4]. What is found is judged by δ(ε) whichever it was.
type Loss int

const (
	// LossADP is δ(ε) itself.
	LossADP Loss = iota
	// LossPDP is P(L > ε) ≥ δ(ε) of the composition, with a sigmoid for the comparison, as it has no slope.
	LossPDP
	// LossMA is the bound of the extended moments accountant, 1 − (1−ω)^n + M(1 + λ)^n·e^(−λε), at a λ that
	// is learned as well.
	LossMA
)

// pdp is LossPDP of one release, in the worse order, with its gradient by the half masses.
func (p Problem) pdp(half []float64) (worst float64, gradient []float64) {
	return p.worseOrder(half, func(a, b []float64) (d float64, ga, gb []float64) {
		ga, gb = make([]float64, len(a)), make([]float64, len(a))
		for i := range a {
			switch {
			case a[i] <= 0:
			case b[i] <= 0:
				d += a[i]
				ga[i] = 1
			default:
				x, slope := p.indicator(math.Log(a[i] / b[i]))
				d += a[i] * x
				ga[i], gb[i] = x+slope, -slope*a[i]/b[i]
			}
		}
		return d, ga, gb
	})
}

// moments is LossMA at λ in the worse order, with its gradients by the half masses and by λ.
func (p Problem) moments(half []float64, lambda float64) (worst float64, gradient []float64, byLambda float64) {
	n := float64(p.Count)
	top := math.Inf(-1)
	worst, gradient = p.worseOrder(half, func(a, b []float64) (d float64, ga, gb []float64) {
		ga, gb = make([]float64, len(a)), make([]float64, len(a))
		terms, losses := make([]float64, len(a)), make([]float64, len(a))
		sum, mean, omega := 0.0, 0.0, 0.0
		for i := range a {
			switch {
			case a[i] <= 0:
			case b[i] <= 0:
				omega += a[i]
			default:
				losses[i] = math.Log(a[i] / b[i])
				terms[i] = a[i] * math.Exp(math.Min(lambda*losses[i], 600))
				sum += terms[i]
				mean += terms[i] * losses[i]
			}
		}
		mean /= sum
		tail := math.Exp(math.Min(n*math.Log(sum)-lambda*p.Eps, 600))
		d = tail - math.Expm1(n*math.Log1p(-omega))
		for i := range a {
			switch {
			case a[i] <= 0:
			case b[i] <= 0:
				ga[i] = n * math.Pow(1-omega, n-1)
			default:
				q := n * tail * terms[i] / sum
				ga[i], gb[i] = (lambda+1)*q/a[i], -lambda*q/b[i]
			}
		}
		if d > top {
			top, byLambda = d, tail*(n*mean-p.Eps)
		}
		return d, ga, gb
	})
	return worst, gradient, byLambda
}
