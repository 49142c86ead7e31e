// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestGaussiansMoments: the moment is the integral of p^α·q^(1−α) by the midpoint rule, and infinite where the exponent
// does not fall: σ² = 2 against τ² = 1 from α = 2 on [Zhu, Dong & Wang 2022, Example 15]. R₁ is between the orders next
// to it.
func TestGaussiansMoments(t *testing.T) {
	t.Parallel()
	const w = interval.Prec(100)
	log := func(x, s float64) float64 { return -x*x/(2*s*s) - math.Log(s*math.Sqrt(2*math.Pi)) }
	for _, g := range [][3]string{{"3/2", "1", "1/2"}, {"1", "3/2", "1/2"}, {"2", "5/2", "0"}} {
		x := pair.Gaussians{SigmaP: rat(g[0]), SigmaQ: rat(g[1]), Shift: rat(g[2])}
		a, _ := x.SigmaP.Float64()
		b, _ := x.SigmaQ.Float64()
		s, _ := x.Shift.Float64()
		f, ok := logMoment(x)
		if !ok {
			t.Fatal("no moment")
		}
		for _, order := range []string{"1/2", "5/4", "17/10"} {
			alpha, _ := rat(order).Float64()
			want := 0.0
			const h = 1.0 / 256
			for y := -60 + h/2; y < 60; y += h {
				want += h * math.Exp(alpha*log(y, a)+(1-alpha)*log(y-s, b))
			}
			got := w.Exp(f(w, rat(order)))
			lo, _ := got.Lo().Float64()
			hi, _ := got.Hi().Float64()
			if math.Abs(lo/want-1) > 1e-6 || hi-lo > 1e-20*hi+1e-15*hi {
				t.Errorf("%s at order %s: [%v, %v], want %v", x, order, lo, hi, want)
			}
		}
		near := func(order string) float64 {
			v, _ := w.Div(f(w, rat(order)), w.Sub(w.Rat(rat(order)), interval.Int(1))).Lo().Float64()
			return v
		}
		one, _ := relativeEntropyOfGaussians(w, x).Lo().Float64()
		if below, above := near("999999/1000000"), near("1000001/1000000"); !(below < one && one < above) {
			t.Errorf("%s: R₁ = %v, next to it %v and %v", x, one, below, above)
		}
	}
	example := pair.Gaussians{SigmaP: rat("3/2"), SigmaQ: rat("1"), Shift: rat("0")} // finite below 9/5
	f, _ := logMoment(example)
	if y := f(w, rat("9/5")); !y.Lo().IsInf() {
		t.Errorf("order 9/5: %v, want ∞", y)
	}
	if y := f(w, rat("1799/1000")); !y.IsFinite() {
		t.Errorf("order 1.799: %v, want a number", y)
	}
	wider := pair.Gaussians{SigmaP: rat("1"), SigmaQ: rat("2"), Shift: rat("3")}
	top, _ := greatestOfGaussians(w, wider).Lo().Float64()
	most := math.Inf(-1)
	for y := -10.0; y < 10; y += 1.0 / 1024 {
		most = max(most, log(y, 1)-log(y-3, 2))
	}
	if math.Abs(top-most) > 1e-5 {
		t.Errorf("the greatest loss is %v, want %v", top, most)
	}
}
