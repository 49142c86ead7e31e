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

// A comparison is LossPDP of a composition, by the machinery of [Profile]: with ψ the sigmoid in place of (1 −
// e^(ε−s))₊,
//
//	Σ_j w_j·Ψ(l_j) + 1 − (1 − ω)^n,  Ψ(l) = Σ_s w^*(n−1)(s)·ψ(s + l).
//
// ψ(s) falls below ε as e^(500s), faster than a tilt of at most 400 raises it, and is at least 1 − e^(ε−s) above ε, so
// that what stands for Ψ below the rounding of the transform is a lower bound of it, too. A step of the grid is an
// eighth of the width of ψ.
type comparison struct{ profiles []*Profile }

// refresh chooses the grids for noise near the given one.
func (c *comparison) refresh(p Problem, half []float64) {
	c.profiles = c.profiles[:0]
	for _, o := range []Order{Remove, Add} {
		c.profiles = append(c.profiles, newProfile(&Profile{Problem: p, order: o, soft: true}, half, Splitting))
		if p.Rate == 1 {
			break
		}
	}
}

// value is the loss in the worse order, and its gradient by the half masses.
func (c *comparison) value(half []float64) (worst float64, gradient []float64) {
	for _, e := range c.profiles {
		if d, g := e.Gradient(half); gradient == nil || d > worst {
			worst, gradient = d, g
		}
	}
	return worst, gradient
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
