// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import "math"

// How much of the running means stays at a step (§4.1).
const (
	momentOne = 0.9
	momentTwo = 0.999
)

// An adam is the optimiser of the paper: steps by the running means of a gradient and of its squares.
type adam struct {
	one, two       []float64
	decay1, decay2 float64
}

// steps returns the steps down the gradient d, at a learning rate of 1.
func (a *adam) steps(d []float64) []float64 {
	a.decay1, a.decay2 = a.decay1*momentOne, a.decay2*momentTwo
	out := make([]float64, len(d))
	for i, x := range d {
		a.one[i] = momentOne*a.one[i] + (1-momentOne)*x
		a.two[i] = momentTwo*a.two[i] + (1-momentTwo)*x*x
		out[i] = a.one[i] / (1 - a.decay1) / (math.Sqrt(a.two[i]/(1-a.decay2)) + 1e-8)
	}
	return out
}
