// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestClampedGaussianMoments: the moment is the sum over atoms and the integral by the midpoint rule, in float64.
func TestClampedGaussianMoments(t *testing.T) {
	t.Parallel()
	const w = interval.Prec(100)
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	const m, s = -0.5, 0.75
	for i := range 4 {
		first, reversed := i%2 == 0, i/2 == 0
		x := pair.Clamped{Noise: pair.GaussianNoise, Location: rat("-1"), Width: rat("2"), Shift: rat("3/2"), ShiftFirst: first, Reversed: reversed}
		f, ok := logMoment(x)
		if !ok {
			t.Fatal("no moment")
		}
		for _, order := range []string{"1/2", "3/2", "3"} {
			a, _ := rat(order).Float64()
			if reversed {
				a = 1 - a
			}
			want, from := 0.0, s
			if first {
				want, from = math.Pow(below(-m), a)*math.Pow(below(-s-m), 1-a), 0
			}
			const h = 1.0 / 1024
			for y := from + h/2; y < 16; y += h {
				want += h * math.Pow(density(y-m), a) * math.Pow(density(y-s-m), 1-a)
			}
			got := w.Exp(f(w, rat(order)))
			lo, _ := got.Lo().Float64()
			hi, _ := got.Hi().Float64()
			if math.Abs(lo/want-1) > 1e-5 || hi-lo > 1e-20*hi+1e-15*hi {
				t.Errorf("%s at order %s: [%v, %v], want %v", x, order, lo, hi, want)
			}
		}
	}
}
