// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/cmplx"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TestJump: where small losses or one large one exceed ε, these say what it is, about; where several large ones do,
// they say that they do not.
func TestJump(t *testing.T) {
	const logDelta = -24.25 // δ = 2.94e-11
	for _, c := range []struct {
		rate, mu2 string
		reversed  bool
		count     int64
		ok        bool
	}{
		{"0.0007484", "0.937", false, 10, true}, {"0.0007484", "0.937", false, 10000, true},
		{"1/100", "1/16", false, 1000, true}, {"1/100", "1/16", true, 1000, true}, {"1/2000", "4", false, 2000, true},
		{"0.0007484", "0.937", true, 10, false}, {"1/4", "1/16", false, 2, false}, {"1/4", "1", false, 20, false},
	} {
		x := must(New(product(sampledGaussian(c.rate, c.mu2, c.reversed), c.count)))
		b, ok := x.newBulk(logDelta)
		if !ok {
			t.Fatal("no bulk")
		}
		eps, ok := b.Jump(logDelta)
		if ok != c.ok {
			t.Errorf("%v: a jump at ε = %g: %v", c, eps, ok)
		}
		for _, off := range []float64{-1. / 16, 1. / 16} {
			at := double.Exactly(eps * (1 + off))
			y, err := x.Delta(t.Context(), 24, func(interval.Prec) interval.Interval { return at })
			if err != nil {
				t.Fatal(err)
			}
			if got := double.Of(coarse.Log(y)).Mid(); ok && (got < logDelta) != (off > 0) {
				t.Errorf("%v: log δ(%v) is %g, and %g a sixteenth further on", c, at, got, logDelta)
			}
		}
	}
}

func must(x *Transform, ok bool) *Transform {
	if !ok {
		panic("no transform")
	}
	return x
}

// TestShiftedPoints: points along the shifted line are those along the real one, in both directions.
func TestShiftedPoints(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		x, _ := New(product(sampledGaussian("1/50", "1", reversed), 20))
		m := x.terms[0].f.(*mixture)
		lambda, h, n := rat("3/2"), double.Point(0.5), 200
		plan, ok := m.planShifted(doublePrec, lambda)
		if !ok {
			t.Fatal("no plan")
		}
		got, ok := m.shiftedPoints(t.Context(), lambda, plan, h.Lo, n)
		q, ok2 := m.doubleQuadrature(doublePrec, lambda, h.Lo*float64(n), maxStripNodes)
		if !ok || !ok2 {
			t.Fatal("no points")
		}
		want, ok := sweep(q, h, n)
		if !ok {
			t.Fatal("no points")
		}
		for j := range want {
			if d := cmplx.Abs(got[j]/got[0] - want[j]/want[0]); !(d < 1e-8) {
				t.Errorf("reversed %v: M at %d is off by %g", reversed, j, d)
				break
			}
		}
	}
}

// TestNearOfLargeLosses: ε is near where losses are rare and large: one of few steps, some of many, and where ε is far
// below all of them.
func TestNearOfLargeLosses(t *testing.T) {
	for _, c := range []struct {
		rate, mu2, delta string
		steps            int64
	}{
		{"0.0007484", "0.937", "2.94e-11", 10},
		{"0.000119", "0.525", "2e-9", 18},
		{"0.00000155", "2.52", "5.2e-7", 30},
		{"0.00000033", "2.5", "3.7e-6", 118},
		{"0.000859", "0.194", "8.2e-6", 9},
		{"7.43e-7", "2.7", "3.5e-9", 810481},
		{"0.000144", "0.19", "6.2e-5", 4},
	}[:testkit.Cases(2, 7)] {
		x, _ := New(product(sampledGaussian(c.rate, c.mu2, false), c.steps))
		eps, ok := x.Near(t.Context(), rat(c.delta))
		if !ok {
			t.Errorf("%v: no start", c)
			continue
		}
		y, err := x.Delta(t.Context(), 24, interval.RealRat(eps))
		if err != nil {
			t.Fatal(err)
		}
		if q := fine.Div(y, fine.Rat(rat(c.delta))); q.LessRat(rat("0.8")) != interval.False || q.LessRat(rat("1.25")) != interval.True {
			t.Errorf("%v: δ(%s) in %v", c, eps.FloatString(12), y)
		}
	}
}
