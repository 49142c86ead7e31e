// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package double

import "math"

// Greatest returns a number that no exponent exceeds by much.
func Greatest(es ...[]Interval) float64 {
	top := math.Inf(-1)
	for _, e := range es {
		for _, x := range e {
			top = max(top, x.Hi)
		}
	}
	return top
}

// Exps encloses e^(e_i − shift).
func Exps(e []Interval, shift float64) []Interval {
	out := make([]Interval, len(e))
	for i, x := range e {
		out[i] = x.Sub(Point(shift)).Exp()
	}
	return out
}

// LogSum encloses log Σ e^(e_i).
func LogSum(e []Interval) Interval {
	shift := Greatest(e)
	return Sum(Exps(e, shift)).Log().Add(Point(shift))
}

// Sum encloses Σ x_i.
func Sum(xs []Interval) Interval {
	var s Interval
	for _, x := range xs {
		s = s.Add(x)
	}
	return s
}

// Dot encloses Σ a_i·b_i.
func Dot(a, b []Interval) Interval {
	var s Interval
	for i := range a {
		if y := a[i].Mul(b[i]); i == 0 {
			s = y // without the rounding of a sum
		} else {
			s = s.Add(y)
		}
	}
	return s
}
