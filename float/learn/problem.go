// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import "math"

// A Problem is noise of N half masses on cells, released Count times about an answer that moves by
// up to Shift cells, on a Poisson sample of records if Rate is below 1.
type Problem struct {
	N, Shift, Count int
	Eps, Rate       float64
}

// An Order says which distribution of a sample comes first: with the record, or without.
type Order int

const (
	Remove Order = iota
	Add
)

// pair returns the noise, mixed with its shift, and the other distribution of the order.
func (p Problem) pair(o Order, half []float64) (a, b []float64) {
	n, m := p.N, p.Shift
	a, b = make([]float64, 2*n+m), make([]float64, 2*n+m)
	for k, x := range half {
		a[n+k], a[n-1-k] = x, x
		b[n+m+k], b[n+m-1-k] = x, x
	}
	if p.Rate < 1 {
		for i := range b {
			b[i] = (1-p.Rate)*a[i] + p.Rate*b[i]
		}
		if o == Remove {
			a, b = b, a
		}
	}
	return a, b
}

// back takes the gradient with respect to both distributions to the half masses.
func (p Problem) back(o Order, ga, gb []float64) []float64 {
	n, m := p.N, p.Shift
	if p.Rate < 1 {
		if o == Remove {
			ga, gb = gb, ga
		}
		for i := range ga {
			ga[i] += (1 - p.Rate) * gb[i]
			gb[i] *= p.Rate
		}
	}
	g := make([]float64, n)
	for k := range g {
		g[k] = ga[n+k] + ga[n-1-k] + gb[n+m+k] + gb[n+m-1-k]
	}
	return g
}

// worseOrder returns the greater of a function of both orders of the two distributions, and its gradient by the half
// masses. Without sampling one order is enough.
func (p Problem) worseOrder(half []float64,
	f func(a, b []float64) (d float64, ga, gb []float64)) (worst float64, gradient []float64) {
	for _, o := range []Order{Remove, Add} {
		d, ga, gb := f(p.pair(o, half))
		if gradient == nil || d > worst {
			worst, gradient = d, p.back(o, ga, gb)
		}
		if p.Rate == 1 {
			break
		}
	}
	return worst, gradient
}

// finite returns the losses of outcomes with positive masses.
func finite(a, b []float64) []float64 {
	losses := make([]float64, len(a))
	for i := range a {
		if a[i] > 0 && b[i] > 0 {
			losses[i] = math.Log(a[i]) - math.Log(b[i])
		}
	}
	return losses
}
