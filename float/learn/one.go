// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import "math"

// Single returns δ of one release by its definition, in the worse order.
func (p Problem) Single(half []float64) float64 {
	d, _ := p.single(half)
	return d
}

// single is δ of one release by its definition, with a subgradient.
func (p Problem) single(half []float64) (worst float64, gradient []float64) {
	grow := math.Exp(p.Eps)
	return p.worseOrder(half, func(a, b []float64) (d float64, ga, gb []float64) {
		ga, gb = make([]float64, len(a)), make([]float64, len(a))
		for i := range a {
			if x := a[i] - grow*b[i]; x > 0 {
				d += x
				ga[i], gb[i] = 1, -grow
			}
		}
		return d, ga, gb
	})
}
