// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

import "math"

// The slope of the comparison of LossPDP, and where it is 1/2: below ε, so that it is 0.92 at ε.
const (
	slopePDP = 500
	shiftPDP = 2.5
)

// indicator is about 1 for losses s > ε, and its slope.
func (p Problem) indicator(s float64) (value, slope float64) {
	x := sigmoid(slopePDP*(s-p.Eps) + shiftPDP)
	return x, slopePDP * x * (1 - x)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
