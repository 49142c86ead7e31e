// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package value

import "math"

// Minimum returns a point next to the minimum of f on [lo, hi], by the golden section, and the
// least value of f that the last step saw. If f has one valley, the minimum is within width
// of the point. It is for the choice of parameters, on which no error depends.
func Minimum(f func(float64) float64, lo, hi, width float64) (x, least float64) {
	const golden = 0.6180339887498949
	x1, x2 := hi-golden*(hi-lo), lo+golden*(hi-lo)
	f1, f2 := f(x1), f(x2)
	for hi-lo > width {
		if f1 <= f2 {
			hi, x2, f2 = x2, x1, f1
			x1 = hi - golden*(hi-lo)
			f1 = f(x1)
		} else {
			lo, x1, f1 = x1, x2, f2
			x2 = lo + golden*(hi-lo)
			f2 = f(x2)
		}
	}
	return (lo + hi) / 2, math.Min(f1, f2)
}
