// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestGaussiansAgainstQuadrature: δ of Gaussians of unequal variances is the integral of (p − e^ε·q)₊ by the midpoint
// rule, in float64, in both orientations, on both sides of the least and the greatest loss.
func TestGaussiansAgainstQuadrature(t *testing.T) {
	t.Parallel()
	const w = interval.Prec(100)
	density := func(x, s float64) float64 { return math.Exp(-x*x/(2*s*s)) / (s * math.Sqrt(2*math.Pi)) }
	number := func(s string) float64 { x, _ := rat(s).Float64(); return x }
	for _, g := range [][3]string{{"1", "2", "0"}, {"2", "1", "0"}, {"1", "3/2", "1"}, {"3/2", "1", "1/3"}, {"1", "11/10", "3"}, {"11/10", "1", "3"}, {"1", "101/100", "1/2"}} {
		x := pair.Gaussians{SigmaP: rat(g[0]), SigmaQ: rat(g[1]), Shift: rat(g[2])}
		tails, ok := PairTails(x)
		if !ok {
			t.Fatal("no tails")
		}
		a, b, s := number(g[0]), number(g[1]), number(g[2])
		for _, eps := range []string{"-3", "-1/2", "0", "1/3", "7/10", "2", "9"} {
			want, alpha := 0.0, math.Exp(number(eps))
			const h = 1.0 / 512
			for y := -24 + h/2; y < 30; y += h {
				want += h * max(0, density(y, a)-alpha*density(y-s, b))
			}
			got := tails.Delta(w, interval.RealRat(rat(eps)))
			lo, _ := got.Lo().Float64()
			hi, _ := got.Hi().Float64()
			if lo > want+1e-5 || hi < want-1e-5 || hi-lo > 1e-20 {
				t.Errorf("%s at ε = %s: [%v, %v], want %v", x, eps, lo, hi, want)
			}
		}
	}
}
