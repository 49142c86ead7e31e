// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
)

// TestShiftedRule: values along a shifted line are within their error of the values of the real line's rule, for many
// t, rules that are coarse and fine, and both directions; and a coarse rule's error is not far above what it is off by.
func TestShiftedRule(t *testing.T) {
	testkit.SkipShort(t)
	sharpest := 0.0
	for i, x := range []pair.Pair{
		sampledGaussian("1/5", "4/9", false), sampledGaussian("1/5", "4/9", true),
		sampledGaussian("1/100", "1", false), sampledGaussian("1/100", "4", true),
		farMixture, farMixture.Reverse(),
		pair.GaussianMixture{P: normals.Mixture{Means: rats("1/2", "2"), Probs: rats("3/4", "1/4")}, Q: normals.Standard()},
		pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("-2", "-1/2"), Probs: rats("1/4", "3/4")}},
		pair.SampledReplaceGaussian{Rate: rat("1/5"), Mu2: rat("4/9")}, pair.SampledReplaceGaussian{Rate: rat("1/100"), Mu2: rat("1")},
	} {
		m, ok := newMixture(x)
		if !ok {
			t.Fatalf("%s: no mixture", x)
		}
		for _, lambda := range rats("1/4", "5")[i%2 : i%2+1] {
			const n = 70
			step := rat("3/2")
			want, err := m.line(t.Context(), 60, lambda, coarse.Rat(step), n)
			if err != nil || want == nil {
				t.Fatalf("%s: no line", x)
			}
			for _, p := range testkit.InTurn(i/2, []interval.Prec{2, 40, 4, 8}) {
				plan, ok := m.planShifted(p, lambda)
				if !ok {
					t.Fatalf("%s: no rule", x)
				}
				l, ok, err := plan.wordLine(t.Context(), m, lambda, fixed.FromInterval(coarse.Rat(step)), n)
				if !ok || err != nil {
					t.Fatalf("%s: no line in words: %v", x, err)
				}
				bound := double.Of(l.err).Hi
				if size := double.Of(want[0].Re).Lo * 0x1p-2; p > 8 && bound > size/float64(uint64(1)<<min(p, 62)) {
					t.Errorf("%s at −%s: the error is %v, of %v, at %d bits", x, lambda.RatString(), bound, size, p)
				}
				if p == 8 {
					wide, err := m.newShiftedRule(100, lambda, plan).line(t.Context(), 80, coarse.Rat(step), n)
					for j, z := range wide {
						if _, meet := interval.Intersect(z.Re, want[j].Re); !meet || err != nil {
							t.Fatalf("%s at −%s + i·%d·3/2: %v and %v", x, lambda.RatString(), j, z, want[j])
						}
						if _, meet := interval.Intersect(z.Im, want[j].Im); !meet {
							t.Fatalf("%s at −%s + i·%d·3/2: %v and %v", x, lambda.RatString(), j, z, want[j])
						}
					}
				}
				for j, z := range l.values {
					off := double.Of(coarse.AbsC(coarse.SubC(z.Interval(), want[j])))
					if off.Lo > bound {
						t.Fatalf("%s at −%s + i·%d·3/2: off by %v, bound %v at %d bits", x, lambda.RatString(), j, off, bound, p)
					}
					sharpest = max(sharpest, off.Lo/bound)
				}
			}
		}
	}
	if sharpest < 0.01 {
		t.Errorf("the error is reached to %v only", sharpest)
	}
}

// TestNoShiftedRule: a mixture with means on both sides of 0 has none.
func TestNoShiftedRule(t *testing.T) {
	m, _ := newMixture(pair.GaussianMixture{P: normals.Mixture{Means: rats("-1", "2"), Probs: rats("1/2", "1/2")}, Q: normals.Standard()})
	if _, ok := m.planShifted(24, rat("1")); ok {
		t.Error("there is a shifted rule")
	}
}
