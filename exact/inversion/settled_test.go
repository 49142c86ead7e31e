// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/quadrature"
)

// TestRareSamplesOfMuchNoise: rules for large t at a large λ, which next to nothing of a rare sample with much noise is
// felt at, against rules of many more nodes; and the profile, from either direction and at two precisions.
func TestRareSamplesOfMuchNoise(t *testing.T) {
	m, _ := newMixture(sampledGaussian("1/1000000", "1/225", true))
	lambda, span := rat("900000"), 2e6
	sharp, ok := m.newQuadrature(90, lambda, span)
	rough, ok2 := m.newQuadrature(12, lambda, span)
	if !ok || !ok2 || 2*len(rough.Weights) > len(sharp.Weights) {
		t.Fatal("no rules")
	}
	const p = interval.Prec(120)
	for _, at := range []float64{0, 1e6, span} {
		sum := func(q quadrature.Rule) interval.Complex {
			var y interval.Complex
			for k, w := range q.Weights {
				y = p.AddC(y, p.ScaleC(w, p.ExpI(p.Mul(double.Exactly(-at), q.Losses[k]))))
			}
			return y
		}
		off := double.Of(coarse.AbsC(coarse.SubC(sum(rough), sum(sharp))))
		if bound := double.Of(coarse.Add(rough.Err, sharp.Err)).Hi; off.Lo > bound || !(bound < 1e-3) {
			t.Errorf("t = %v: off by %v, bound %v", at, off, bound)
		}
	}
	for _, reversed := range []bool{false, true} {
		x, ok := New(product(sampledGaussian("103/100000000", "1/252", reversed), 470))
		if !ok {
			t.Fatal("no transform")
		}
		y, err := x.Delta(t.Context(), 30, interval.RealRat(rat("5e-6")))
		if err != nil || y.RelativeBits(30) < 26 {
			t.Errorf("δ of direction %v is in %v, %v", reversed, y, err)
		}
		again, err := x.Delta(t.Context(), 44, interval.RealRat(rat("5e-6")))
		if _, meet := interval.Intersect(y, again); err != nil || !meet {
			t.Errorf("δ of direction %v is in %v, and in %v", reversed, y, again)
		}
	}
}
