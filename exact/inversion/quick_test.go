// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"
	"math/big"
	"math/rand"
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
						q, _ := m.doubleNodes(lambda, stripRule{window: w, step: step})
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
		d, norm, falls := m.quickDecay(lambda, m.moment(doublePrec, lambda), 1), values[0].Re, false
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

// TestMomentsOfCells: the mean and the variance of the means at points of a cell are within its moments.
func TestMomentsOfCells(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 400 {
		rate := big.NewRat(1+r.Int63n(1<<20-1), 1<<20)
		cs := []component{
			{Prob: rate, Mean: rational(big.NewRat(r.Int63n(65)-32, 8))},
			{Prob: new(big.Rat).Sub(big.NewRat(1, 1), rate), Mean: rational(big.NewRat(r.Int63n(65)-32, 8))},
		}
		if r.Intn(4) == 0 {
			half := big.NewRat(1, 2)
			cs[0].Prob = new(big.Rat).Mul(cs[0].Prob, half)
			cs = append(cs, component{Prob: new(big.Rat).Mul(rate, half), Mean: rational(big.NewRat(r.Int63n(65)-32, 8))})
		}
		from := 40 * (r.Float64() - 0.5)
		to := from + math.Ldexp(r.Float64(), -r.Intn(8))
		mean, variance := moments(doubleComponents(cs), double.Point(from), double.Point(to))
		for range 4 {
			const w = interval.Prec(200)
			x := double.Exactly(from + (to-from)*r.Float64())
			var mass, first, second interval.Interval
			for _, c := range cs {
				m := c.Mean(w)
				y := w.Mul(w.Rat(c.Prob), w.Exp(w.Mul(m, w.Sub(x, w.Scale(m, -1)))))
				mass, first, second = w.Add(mass, y), w.Add(first, w.Mul(m, y)), w.Add(second, w.Mul(w.Sqr(m), y))
			}
			m := w.Div(first, mass)
			v := w.Sub(w.Div(second, mass), w.Sqr(m))
			if got := mean.Exact(); got.Lo().Cmp(m.Hi()) > 0 || got.Hi().Cmp(m.Lo()) < 0 {
				t.Errorf("%v at %v: mean %v, in %v", cs, x, m, mean)
			}
			if got := variance.Exact(); got.Lo().Cmp(v.Hi()) > 0 || got.Hi().Cmp(v.Lo()) < 0 {
				t.Errorf("%v at %v: variance %v, in %v", cs, x, v, variance)
			}
		}
	}
}
