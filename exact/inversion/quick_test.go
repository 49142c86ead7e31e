// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// quickPairs are mixtures whose other side has its means at 0, on one side and on both sides.
func quickPairs() []pair.Pair {
	return []pair.Pair{
		sampledGaussian("1/1000", "4", false), sampledGaussian("1/50", "1", true),
		sampledGaussian("1/3", "1/10", true), sampledGaussian("9/10", "9", false),
		pair.SampledReplaceGaussian{Rate: rat("1/10"), Mu2: rat("1")},
		pair.SampledReplaceGaussian{Rate: rat("1/100000"), Mu2: rat("3")},
	}
}

// TestQuickMoments: moments by a rule whose error needs no cells hold those to 100 bits, and to 28 bits where the
// choice is left to it; a coarse rule is off by nearly what it may be off by.
func TestQuickMoments(t *testing.T) {
	chosen, tight := 0, 0.0
	for _, x := range quickPairs() {
		m, _ := newMixture(x)
		for _, l := range []string{"0", "1/2", "7", "300"} {
			lambda := rat(l)
			want := m.moment(100, lambda)
			within := func(what string, y interval.Interval) {
				t.Helper()
				if y.Lo().Cmp(want.Lo()) > 0 || y.Hi().Cmp(want.Hi()) < 0 {
					t.Errorf("%v, λ = %s, %s: M in %v, want %v", x, l, what, y, want)
				}
			}
			if y, ok := m.quickMoment(lambda); ok {
				chosen++
				within("chosen", y)
				if y.RelativeBits(64) < 28 {
					t.Errorf("%v, λ = %s: M in %v", x, l, y)
				}
			}
			w, ok := m.window(lambda, 46)
			w.from, w.to = w.first, w.last
			if !ok {
				continue
			}
			for _, b := range []float64{0.2, 0.45, 1.5, 2.2} {
				for _, step := range []float64{0.25, 0.5, 1, 2, 2.5, 2.8} {
					if y, ok := m.momentBy(lambda, w, b, step); ok {
						within("by a coarse rule", y)
						q, _ := m.doubleNodes(lambda, stripRule{w, step, interval.Int(0)})
						off := math.Abs(double.Of(coarse.Div(coarse.Mul(q.AtZero().Exact(), q.Unit), want)).Mid() - 1)
						d := double.Of(coarse.Div(y, want))
						tight = max(tight, off/max(1-d.Lo, 1e-9))
					}
				}
			}
		}
	}
	if chosen < 18 || tight < 0.7 {
		t.Errorf("%d rules are chosen, the most that one is off by is %v of what it may be", chosen, tight)
	}
}

// TestQuickDecays: a bound by cells alone, one between two rows, is one of |M| on a line.
func TestQuickDecays(t *testing.T) {
	falling := 0
	for _, x := range quickPairs() {
		m, _ := newMixture(x)
		lambda, h := rat("3"), interval.Prec(64).Rat(rat("1/2"))
		values, err := m.line(t.Context(), 60, lambda, h, 60)
		if err != nil || values == nil {
			t.Fatal(values, err)
		}
		d, norm, falls := m.quickDecay(lambda, 1), values[0].Re, false
		for j, z := range values {
			size := double.Of(coarse.Log(coarse.Div(coarse.AbsC(z), norm)))
			from := double.Of(h).Mul(double.Int(int64(j))).Lo
			for _, y := range []float64{d(max(from, 1e-9), from), d(max(from, 1e-9), from*17/16), d(max(from, 1e-9), math.Inf(1))} {
				falls = falls || y < -0.1
				if size.Lo > y {
					t.Errorf("%v, t = %v: log|ψ| in %v, bound %v", x, from, size, y)
				}
			}
		}
		if falls {
			falling++
		}
	}
	if falling < 3 {
		t.Errorf("%d bounds fall", falling)
	}
}
