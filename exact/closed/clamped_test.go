// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestClampedGaussianAgainstQuadrature: δ of clamped noise is the sum over its atoms and the integral of (p − e^ε·q)₊
// by the midpoint rule, in float64.
func TestClampedGaussianAgainstQuadrature(t *testing.T) {
	t.Parallel()
	const w = interval.Prec(100)
	density := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, mu := range []string{"-1", "0", "3/2"} {
		for _, shift := range []string{"1/2", "2"} {
			m, _ := rat(mu).Float64()
			s, _ := rat(shift).Float64()
			for i := range 4 {
				first, reversed := i%2 == 0, i/2 == 0
				x := pair.Clamped{Noise: pair.GaussianNoise, Location: rat(mu), Width: rat("1"), Shift: rat(shift), ShiftFirst: first, Reversed: reversed}
				tails, ok := PairTails(x)
				if !ok {
					t.Fatal("no tails")
				}
				for _, eps := range []string{"-1", "0", "1/3", "2"} {
					e, _ := rat(eps).Float64()
					f := func(p, q float64) float64 {
						if reversed {
							p, q = q, p
						}
						return max(0, p-math.Exp(e)*q)
					}
					var want float64
					if first {
						want = f(below(-m), below(-s-m))
					} else {
						want = f(below(-m), 0) + f(0, below(-m))
					}
					const h = 1.0 / 1024
					for y := h / 2; y < 14; y += h {
						p, q := density(y-m), density(y-s-m)
						if !first && y < s {
							q = 0
						}
						want += h * f(p, q)
					}
					// An ε that is known as a rational number is compared with its crossing exactly.
					for _, got := range []interval.Interval{
						tails.Delta(w, interval.RealRat(rat(eps))), tails.delta(w, RatArg(w, rat(eps))),
					} {
						lo, _ := got.Lo().Float64()
						hi, _ := got.Hi().Float64()
						if lo > want+1e-6 || hi < want-1e-6 || hi-lo > 1e-20 {
							t.Errorf("%s at ε = %s: [%v, %v], want %v", x, eps, lo, hi, want)
						}
					}
				}
			}
		}
	}
}
