// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/quadrature"
)

// TestSettledStripsFallOnTheRight: where a strip is settled, |t|·S/C − λ·log C falls with x, C and S as in
// newQuadrature; and it is no rare case, nor is everything one.
func TestSettledStripsFallOnTheRight(t *testing.T) {
	const p = interval.Prec(90)
	r := rand.New(rand.NewSource(1))
	reversed := pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("0", "1/20", "1/7"), Probs: rats("999/1000", "1/1500", "1/3000")}}
	steep, gentle := 0, 0
	for i, x := range []pair.Pair{sampledGaussian("1/1000000", "1/400", true), sampledGaussian("1/3", "1", true), reversed} {
		m, _ := newMixture(x)
		for range 20 {
			lambda := rat([]string{"3", "100", "1000000"}[r.Intn(3)])
			b := (0.1 + r.Float64()) / m.farthest().Hi
			s := &strip{mixture: m, lambda: double.Of(coarse.Rat(lambda))}
			cos, sin := circle(m.doubleB, double.Point(b))
			last := len(cos) - 1
			// At the limit, and on either side of it.
			span := float64Of(lambda) * cos[last].Mid() / sin[last].Mid() * []float64{0.5, 1 - 0x1p-20, 1 + 0x1p-20, 2}[r.Intn(4)]
			if !s.fallsOnRight(span, cos, sin) {
				steep++
				continue
			}
			gentle++
			var before interval.Interval
			for k := range 20 {
				x := p.Mul(interval.Int(16), interval.Int(int64(k-5)))
				var c, sum interval.Interval
				for _, o := range m.b {
					mean := o.mean(p)
					turn := p.ExpI(p.Mul(mean, point64(b)))
					y := p.Mul(p.Rat(o.prob), p.Exp(p.Mul(mean, p.Sub(x, p.Scale(mean, -1)))))
					c, sum = p.Add(c, p.Mul(y, turn.Re)), p.Add(sum, p.Mul(y, turn.Im))
				}
				y := p.Sub(p.Mul(point64(span), p.Div(sum, c)), p.Mul(p.Rat(lambda), p.Log(c)))
				if k > 0 && y.LessEq(before) == interval.False {
					t.Errorf("%d: λ = %v, b = %v, t = %v: it rises from %v to %v", i, lambda, b, span, before, y)
				}
				before = y
			}
		}
	}
	if steep < 10 || gentle < 10 {
		t.Errorf("%d are settled, %d are not", gentle, steep)
	}
	// A that turns is another matter, and so is a mean below 0.
	for _, x := range []pair.Pair{
		sampledGaussian("1/100", "1", false),
		pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("-1", "0", "1"), Probs: rats("1/4", "1/2", "1/4")}},
	} {
		m, _ := newMixture(x)
		s := &strip{mixture: m, lambda: double.Int(100)}
		cos, sin := circle(m.doubleB, double.Point(0.01))
		if s.fallsOnRight(1, cos, sin) {
			t.Errorf("%v is settled", x)
		}
	}
}

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
				y = p.AddC(y, p.ScaleC(w, p.ExpI(p.Mul(point64(-at), q.Losses[k]))))
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
