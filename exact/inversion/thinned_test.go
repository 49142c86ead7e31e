// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// thinnedUnderTest lists thinned mixtures, thinned so far that it shows.
func thinnedUnderTest(t *testing.T) map[string]*mixture {
	t.Helper()
	out := make(map[string]*mixture)
	for _, x := range []pair.Pair{
		sampledGaussian("1/100", "1", false), sampledGaussian("1/3", "1/4", false),
		pair.SampledReplaceGaussian{Rate: rat("1/10"), Mu2: rat("1")},
		pair.SampledReplaceGaussian{Rate: rat("1/1000"), Mu2: rat("1/9")},
	} {
		for _, bits := range []int{6, 60} {
			m, ok := mixtureOf(t, x).thin(bits)
			if !ok {
				t.Fatalf("%s is not thinned", x)
			}
			out[fmt.Sprint(x, " but ", bits)] = m
		}
	}
	return out
}

// TestThinningReach: the slopes of log f and of its bound are within reach.
func TestThinningReach(t *testing.T) {
	tight := 0
	for name, m := range thinnedUnderTest(t) {
		l := double.Point(3)
		for _, x := range []float64{-12, -6, -1, 0, 1, 6, 12} {
			at := double.Point(x)
			left, right := m.leftReach(l, at), m.rightReach(l, at)
			for _, off := range []float64{0, 0.1, 3} {
				for _, share := range []float64{0.5, 1} {
					after, before := m.thinning.Fall(double.Point(x+off)).Lo*share, m.thinning.Fall(double.Point(x-off)).Hi*share
					_, free := m.reach(l)
					if slope := free - after; slope > right+1e-9*math.Abs(right) {
						t.Errorf("%s: slopes to %v after %v, reach %v", name, slope, x, right)
					}
					if before > left+1e-9*math.Abs(left) {
						t.Errorf("%s: slopes from −%v before %v, reach %v", name, before, x, left)
					}
					if off == 0 && math.Abs(free-after-right) < 1e-9*(1+math.Abs(right)) {
						tight++
					}
				}
			}
		}
	}
	if tight < 10 {
		t.Errorf("the bound is attained %d times", tight)
	}
}

// TestThinnedRules: lines of rules on the real line, of shifted rules and in words, of different windows and steps,
// meet, and are below decays.
func TestThinnedRules(t *testing.T) {
	const n, p = 24, 60
	lambda := rat("5")
	i := 0
	for name, m := range thinnedUnderTest(t) {
		step := []string{"1/3", "7"}[i%2]
		i++
		h := fine.Rat(rat(step))
		fineRule, ok := m.newQuadrature(p, lambda, double.Of(h).Mul(double.Int(n)).Hi)
		if !ok {
			t.Fatalf("%s: no rule", name)
		}
		a, err := fineRule.Line(t.Context(), p, h, n)
		if err != nil {
			t.Fatal(err)
		}
		meet := func(what string, b []interval.Complex) {
			for j := range a {
				_, ok1 := interval.Intersect(a[j].Re, b[j].Re)
				_, ok2 := interval.Intersect(a[j].Im, b[j].Im)
				if !ok1 || !ok2 {
					t.Fatalf("%s, %s: %v at %d, want %v", name, what, b[j], j, a[j])
				}
			}
		}
		for _, bits := range testkit.QuickTurn(i/2, []interval.Prec{6, 12}) {
			rough, ok := m.newQuadrature(bits, lambda, double.Of(h).Mul(double.Int(n)).Hi)
			if !ok {
				t.Fatalf("%s: no rough rule", name)
			}
			b, err := rough.Line(t.Context(), bits, h, n)
			if err != nil {
				t.Fatal(err)
			}
			meet("rough", b)
			plan, ok := m.planShifted(bits, lambda)
			if !ok {
				t.Fatalf("%s: no shifted rule", name)
			}
			b, err = m.newShiftedRule(bits+16, lambda, plan).line(t.Context(), bits, h, n)
			if err != nil {
				t.Fatal(err)
			}
			meet("shifted", b)
			l, ok, err := plan.wordLine(t.Context(), m, lambda, fixed.FromInterval(h), n)
			if !ok || err != nil {
				t.Fatalf("%s: no line in words: %v", name, err)
			}
			off := interval.Union(l.err.Neg(), l.err)
			for j, z := range l.values {
				b[j] = coarse.AddC(z.Interval(), interval.Complex{Re: off, Im: off})
			}
			meet("shifted, in words", b)
		}
		norm := m.moment(doublePrec, lambda)
		if _, ok := interval.Intersect(norm, a[0].Re); !ok {
			t.Errorf("%s: M(−λ) is %v in double precision, want %v", name, norm, a[0].Re)
		}
		d := m.decay(lambda)
		for j := 1; j <= n; j++ {
			at := double.Of(h).Mul(double.Int(int64(j)))
			psi := double.Of(coarse.Div(coarse.AbsC(a[j]), norm)).Log().Lo
			if bound := d(at.Lo, at.Hi); psi > bound {
				t.Errorf("%s: log|ψ| = %v at %v, bounded by %v", name, psi, at, bound)
			}
		}
		words, ok, err := m.wordLine(t.Context(), p, lambda, fixed.FromInterval(h), n)
		if err != nil || !ok {
			t.Fatalf("%s: no words: %v", name, err)
		}
		e := interval.Union(words.err.Neg(), words.err)
		var b []interval.Complex
		for _, z := range words.values {
			y := z.Interval()
			b = append(b, interval.Complex{Re: fine.Add(y.Re, e), Im: fine.Add(y.Im, e)})
		}
		meet("words", b)
	}
}

// TestThinnedCells: the density on a cell, and so its mass, is between the bounds of its mass.
func TestThinnedCells(t *testing.T) {
	const lambda = 5
	for name, m := range thinnedUnderTest(t) {
		l, norm := rat("5"), m.moment(doublePrec, rat("5"))
		cells, _, ok := m.cells(l, norm, cellsPerRow)
		w, _ := m.window(l, 60)
		if !ok {
			t.Fatalf("%s has no cells", name)
		}
		logNorm := double.Of(coarse.Log(norm)).Mid() + math.Log(2*math.Pi)/2
		const width = 1.0 / (tableStep * cellsPerRow)
		for i, c := range cells {
			for _, share := range []float64{0, 0.25, 0.75, 1} {
				x := double.Point(point(w.first) + (float64(i)+share)*width)
				la, lb := m.logsAt(x)
				mass := width * math.Exp(m.logWeightAt(double.Point(lambda), x, la, lb).Mid()-logNorm)
				if mass < c.Mass.Lo*(1-1e-9) || mass > c.Mass.Hi*(1+1e-9) {
					t.Fatalf("%s: the density at %v is %v, the mass in %v", name, x.Lo, mass, c.Mass)
				}
			}
		}
	}
}

// TestThinnedProfiles: δ without rare outcomes meets δ of all, and is narrow where that is not.
func TestThinnedProfiles(t *testing.T) {
	x, ok := New(product(pair.SampledReplaceGaussian{Rate: rat("1/20000"), Mu2: rat("1/4")}, 100))
	if !ok {
		t.Fatal("no transform")
	}
	eps := interval.RealRat(rat("1/2000"))
	bits := x.thinnedBits(t.Context(), 40, eps(coarse))
	if bits == 0 {
		t.Fatal("nothing is left out")
	}
	y, err := x.Delta(t.Context(), 40, eps)
	if err != nil || y.RelativeBits(40) < 36 {
		t.Fatalf("δ = %v, %v", y, err)
	}
	for _, more := range []int{20, 64} {
		z, err := x.throughThinned(t.Context(), 24, more, false, eps)
		if err != nil {
			t.Fatal(err)
		}
		if _, meet := interval.Intersect(y, z); !meet || z.RelativeBits(24) < 16 {
			t.Errorf("δ = %v, and %v by %d bits", y, z, more)
		}
	}
	x.thinning = map[lineKey]int{}
	at, _ := x.around(eps(coarse))
	x.thinning[lineKey{p: 16, at: at.key()}] = 0
	direct, err := x.Delta(t.Context(), 16, eps)
	if err != nil || direct.RelativeBits(16) < 4 {
		t.Fatalf("directly: %v, %v", direct, err)
	}
	if _, meet := interval.Intersect(y, direct); !meet {
		t.Errorf("δ = %v, and %v directly", y, direct)
	}
}

// TestNearBelowTheMean: a search starts next to an ε < 0 of replaced records, though no λ > 0 has the least moment there.
func TestNearBelowTheMean(t *testing.T) {
	x, _ := New(product(pair.SampledReplaceGaussian{Rate: rat("4.27e-7"), Mu2: rat("0.0227")}, 158))
	delta := rat("1.5e-6")
	near, ok := x.Near(t.Context(), delta)
	if !ok || near.Sign() >= 0 {
		t.Fatalf("near %v, %v", near, ok)
	}
	y, err := x.Delta(t.Context(), 24, interval.RealRat(near))
	if off := coarse.Sub(coarse.Div(y, coarse.Rat(delta)), one).Abs(); err != nil || off.LessEqRat(big.NewRat(1, 1000)) != interval.True {
		t.Errorf("δ(%v) = %v, %v", near, y, err)
	}
}

// TestNearOfRareReplacedSamples: where large losses are left out, a search starts next to ε(δ), and a line suffices
// there, after one in double precision.
func TestNearOfRareReplacedSamples(t *testing.T) {
	x, ok := New(product(pair.SampledReplaceGaussian{Rate: rat("1/300000"), Mu2: rat("3/7")}, 52))
	if !ok {
		t.Fatal("no transform")
	}
	delta := rat("1e-15")
	near, ok := x.Near(t.Context(), delta)
	if !ok {
		t.Fatal("no number")
	}
	y, err := x.Delta(t.Context(), 16, interval.RealRat(near))
	if err != nil || y.RelativeBits(16) < 12 {
		t.Fatalf("δ(%v) = %v, %v", near, y, err)
	}
	off := coarse.Sub(coarse.Div(y, coarse.Rat(delta)), one).Abs()
	if off.LessEqRat(big.NewRat(1, 100)) != interval.True {
		t.Errorf("δ(%v) = %v", near, y)
	}
	lines := 0
	for _, z := range x.thin {
		if z == nil {
			continue
		}
		for _, l := range z.lines {
			if l != nil {
				lines++
			}
		}
	}
	if lines < 1 || lines > 2 {
		t.Errorf("%d lines", lines)
	}
}
