// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package value

import (
	"math"
	"testing"
)

func TestMinimum(t *testing.T) {
	for _, want := range []float64{-3, -1.25, 0, 2.999} {
		f := func(x float64) float64 { return math.Abs(x - want) }
		x, least := Minimum(f, -3, 3, 1e-3)
		if math.Abs(x-want) > 1e-3 || least > 1e-3 {
			t.Errorf("the minimum at %v is found at %v, %v above it", want, x, least)
		}
	}
	if _, least := Minimum(func(float64) float64 { return math.Inf(1) }, 0, 1, 0.1); !math.IsInf(least, 1) {
		t.Errorf("of ∞: %v", least)
	}
}
