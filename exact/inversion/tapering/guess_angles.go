// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tapering

import (
	"math"

	"dpverify/exact/double"
)

// Angles are the b of continuation that are tried. The more copies there are, the smaller are the useful ones.
var Angles = func() []float64 {
	var out []float64
	for i := range 20 {
		out = append(out, math.Ldexp(float64(4-i%2)/40, i/2-10))
	}
	for i := 1; i < 32; i++ {
		out = append(out, float64(i)/10)
	}
	return out
}()

// HeightOf is near the greatest height at x of an angle b: e^x·sin(b − ρ) = sin b.
func HeightOf(b, x float64) float64 {
	_, sin := double.Cis64(b)
	return b - math.Asin(double.Exp64(-x)*sin)
}
