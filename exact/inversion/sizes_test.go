// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/aliases"
	"dpverify/exact/pair"
	"dpverify/exact/quadrature"
)

// doublesUnderTest lists factors with a quadrature in double precision.
func doublesUnderTest(t *testing.T, lambda *big.Rat, turn float64) map[string]struct {
	factor
	quadrature.DoubleRule
} {
	out := make(map[string]struct {
		factor
		quadrature.DoubleRule
	})
	add := func(x pair.Pair, f factor, q quadrature.DoubleRule, ok bool) {
		if !ok {
			t.Fatalf("%s: no quadrature in double precision", x)
		}
		out[x.String()] = struct {
			factor
			quadrature.DoubleRule
		}{f, q}
	}
	for _, x := range mixturesUnderTest() {
		m := mixtureOf(t, x)
		q, ok := m.doubleQuadrature(doublePrec, lambda, turn, maxStripNodes)
		add(x, m, q, ok)
	}
	for _, reversed := range []bool{false, true} {
		x := sampledLaplacePair("1/10", "2", reversed)
		s, _ := sampledLaplaceOf(x)
		q, ok := s.newQuadrature(doublePrec, lambda, turn)
		add(x, s, q.Double(), ok)
	}
	return out
}

// TestSweepError: the numbers of a sweep are within their bound of M, which is small; sizes are
// upper bounds, and close where there is much to bound.
func TestSweepError(t *testing.T) {
	const n = 60
	lambda, step := rat("3/2"), rat("5/16")
	h := double.Point(5.0 / 16)
	for name, x := range doublesUnderTest(t, lambda, n*5.0/16) {
		line, err := x.line(t.Context(), 80, lambda, fine.Rat(step), n)
		if err != nil || line == nil {
			t.Fatalf("%s: no line", name)
		}
		norm := x.factor.moment(80, lambda)
		if !x.AtZero().Exact().Encloses(coarse.Round(coarse.Div(norm, x.Unit))) {
			t.Errorf("%s: M(−λ) in %v units, want %v", name, x.AtZero(), fine.Div(norm, x.Unit))
		}
		values, off := x.Sweep(h, n)
		if values == nil || x.At(off, n).Hi > 1e-8*x.AtZero().Hi {
			t.Fatalf("%s: error %v", name, x.At(off, n))
		}
		sizes := x.Sizes(h, n)
		for j, z := range values {
			d := fine.SubC(interval.Complex{Re: double.Point(real(z)).Exact(), Im: double.Point(imag(z)).Exact()},
				fine.ScaleC(fine.Inv(x.Unit), line[j]))
			bound := x.At(off, j).Hi
			if fine.AbsC(d).Lo().Cmp(big.NewFloat(bound)) > 0 {
				t.Fatalf("%s: value %d is off by %v > %v", name, j, fine.AbsC(d), bound)
			}
			log := double.Of(coarse.Div(coarse.AbsC(line[j]), norm)).Log()
			if log.Lo > sizes[j] || log.Lo > -10 && sizes[j] > log.Hi+1e-3 {
				t.Fatalf("%s: log|ψ| at %d ≤ %v, want %v", name, j, sizes[j], log)
			}
		}
	}
}

// TestLengthBoundsWhatIsLeftOut: the terms between the last value and far, at their moduli,
// are at most what a line has for them; and values are few.
func TestLengthBoundsWhatIsLeftOut(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		x, ok := New(product(sampledGaussian("1/20", "1", reversed), 200))
		if !ok {
			t.Fatal("no transform")
		}
		c := parameters{lambda: rat("2"), kappa: rat("6"), period: rat("15"), tail: 40, far: 90, prec: 100}
		c.decays = x.decaysAt(c.lambda)
		n, between := x.trim(c, double.Of(c.step(coarse)), x.sizes(c, []factor{x.terms[0].f}))
		if n >= 60 || n < 2 {
			t.Errorf("%d values", n)
		}
		h := c.step(fine)
		line, err := x.terms[0].f.line(t.Context(), 120, c.lambda, h, c.far)
		if err != nil || line == nil {
			t.Fatal("no line")
		}
		norm := fine.PowInt(line[0].Re, 200)
		sum, last := interval.Int(0), interval.Int(0)
		for j := n; j <= c.far; j++ {
			s := interval.Complex{Re: fine.Rat(c.lambda).Neg(), Im: fine.Mul(interval.Int(int64(j)), h)}
			y := fine.Div(fine.PowInt(fine.AbsC(line[j]), 200), fine.AbsC(fine.MulC(s, fine.SubC(s, interval.Complex{Re: one}))))
			y = fine.Scale(fine.Div(y, norm), 1)
			if j == n {
				last = y
				continue
			}
			sum = fine.Add(sum, y)
		}
		if sum.Lo().Cmp(between.Hi()) > 0 || fine.Mul(sum, interval.Int(2)).Less(between) == interval.True {
			t.Errorf("what is left out is %v, bounded by %v", sum, between)
		}
		goal := fine.Mul(fine.Exp(interval.Int(-40)), fine.Rat(c.period))
		if between.Less(goal) != interval.True || fine.Mul(fine.Add(sum, last), interval.Int(2)).Less(goal) == interval.True {
			t.Errorf("%v is left out beside %v, want about %v", between, last, goal)
		}
	}
}

// TestLeftOutBoundsItsTerms: two terms for each j, of modulus e^{−λε} times the modulus of the value, by
// the period.
func TestLeftOutBoundsItsTerms(t *testing.T) {
	for _, p := range precisions {
		y := aliases.LeftOut(p, fine.Rat(rat("1/3")), rat("7/5"), rat("11/7"), p.Rat(rat("-3/10")))
		want := fine.Div(fine.Mul(fine.Rat(rat("1/3")), fine.Exp(fine.Rat(rat("21/50")))), fine.Rat(rat("11/7")))
		if y.Hi().Cmp(want.Lo()) < 0 || p == 128 && fine.Mul(want, fine.Rat(rat("1.000001"))).Less(y) == interval.True {
			t.Errorf("%v at %d bits, want %v", y, p, want)
		}
	}
}

// TestValuesThatLackWords: values of samples that are to be multiplied by many others lack words, and the products are
// as near to those of all words as these are known.
func TestValuesThatLackWords(t *testing.T) {
	x, ok := New(product(sampledGaussian("1/20", "1", false), 200))
	if !ok {
		t.Fatal("no transform")
	}
	c := parameters{lambda: rat("4"), kappa: rat("6"), period: rat("15"), tail: 190, far: 90, prec: 320}
	factors := []factor{x.terms[0].f.at(c.prec)}
	logs := x.sizes(c, factors)
	if lacks := quadrature.NewLacks(logs, factors[0].sizes(c.lambda, double.Of(c.step(coarse)), c.far)); lacks[0] != 0 || lacks[c.far] < 128 {
		t.Fatalf("values lack %v bits", lacks)
	}
	got, err := x.values(t.Context(), c, factors, logs)
	want, err2 := x.values(t.Context(), c, factors, make([]double.Interval, len(logs)))
	if err != nil || err2 != nil || got == nil || want == nil {
		t.Fatal(err, err2)
	}
	most := fine.Scale(fine.AbsC(want[0]), 16-int(c.prec))
	for j, z := range got {
		for i, part := range []interval.Interval{z.Re, z.Im} {
			if _, ok := interval.Intersect(part, []interval.Interval{want[j].Re, want[j].Im}[i]); !ok {
				t.Fatalf("value %d is %v, want %v", j, z, want[j])
			}
			if c.prec.Sub(part.Upper(), part.Lower()).LessEq(most) != interval.True {
				t.Fatalf("value %d is %v: wide", j, z)
			}
		}
	}
}

// TestErrorsOfRulesThatFall: a rule whose values may lack more and more bits has few nodes, is off by at most its
// errors, and somewhere by a hundredth of them.
func TestErrorsOfRulesThatFall(t *testing.T) {
	const p, n, bitsEach = 60, 40, 3
	near := interval.Int(0)
	for i, x := range mixturesUnderTest() {
		m, lambda, h := *mixtureOf(t, x), []*big.Rat{rat("1/2"), rat("8")}[i%2], interval.Int(1)
		want, err := m.line(t.Context(), 150, lambda, h, n)
		if err != nil {
			t.Fatal(err)
		}
		whole, _ := m.newQuadrature(p, lambda, n)
		m.lacks = make(quadrature.Lacks, n+1)
		for j := range m.lacks {
			m.lacks[j] = min(bitsEach*j, p-10)
		}
		q, ok := m.newQuadrature(p, lambda, n)
		if !ok || len(q.Errs) != n+1 || len(q.Weights) > len(whole.Weights) {
			t.Fatalf("%s: %d errors, %d nodes in place of %d", x, len(q.Errs), len(q.Weights), len(whole.Weights))
		}
		theta := q.Losses // h = 1
		got, err := quadrature.Sum(t.Context(), 150, q.Weights, theta, n)
		if err != nil {
			t.Fatal(err)
		}
		for j, z := range got {
			d := fine.AbsC(fine.SubC(z, want[j]))
			if d.Lo().Cmp(q.Errs[j].Hi()) > 0 {
				t.Fatalf("%s, λ = %s: value %d is off by %v > %v", x, lambda.RatString(), j, d, q.Errs[j])
			}
			near = interval.Max(near, fine.Div(d.Lower(), q.Errs[j]))
		}
		values, err := m.line(t.Context(), p, lambda, h, n)
		if err != nil {
			t.Fatal(err)
		}
		for j, z := range values {
			if !z.Re.Encloses(want[j].Re) || !z.Im.Encloses(want[j].Im) {
				t.Fatalf("%s, λ = %s: value %d is %v, want %v", x, lambda.RatString(), j, z, want[j])
			}
		}
	}
	if near.LessRat(rat("1/100")) == interval.True {
		t.Errorf("the nearest is off by %v of what it may be", near)
	}
}

// TestBentRules: sums of rules in strips that widen are those of strips that do not, as near as their errors say; samples
// without rare outcomes have none.
func TestBentRules(t *testing.T) {
	tried := 0
	for i, x := range mixturesUnderTest() {
		m, lambda := mixtureOf(t, x), []*big.Rat{rat("1/2"), rat("8")}[i%2]
		for _, turn := range []float64{0, 12} {
			for _, p := range []interval.Prec{2, 8, 60, 150, 300} {
				r, ok := m.newBent(p, lambda, turn)
				other, ok2 := m.chooseRule(p, lambda, turn, maxStripNodes)
				if !ok || !ok2 {
					continue
				}
				tried++
				var sums []interval.Complex
				for _, r := range []stripRule{r, other} {
					q, at := m.nodes(p, lambda, r), interval.Int(int64(turn))
					theta := make([]interval.Interval, len(q.Losses))
					for k := range theta {
						theta[k] = fine.Mul(q.Losses[k], at)
					}
					s, err := quadrature.Sum(t.Context(), 100, q.Weights, theta, 1)
					if err != nil {
						t.Fatal(err)
					}
					sums = append(sums, s[1])
				}
				if off := fine.AbsC(fine.SubC(sums[0], sums[1])); fine.Add(r.err, other.err).Less(off) == interval.True {
					t.Fatalf("%s at −%s + %vi, %d bits: rules are off by %v, want %v and %v", x, lambda, turn, p, off, r.err, other.err)
				}
				if least := fine.Scale(m.moment(60, lambda), 4-int(p)); r.err.LessEq(least) != interval.True {
					t.Errorf("%s at −%s + %vi, %d bits: an error of %v", x, lambda, turn, p, r.err)
				}
			}
		}
		if thin, ok := m.thin(20); ok {
			if _, ok := thin.newBent(100, lambda, 30); ok {
				t.Errorf("%s without rare outcomes has a rule that bends", x)
			}
		}
	}
	if tried < 6 {
		t.Errorf("%d rules bend", tried)
	}
}

// TestRulesOfWavesBeyondDoubles: where what a strip adds to a bound is beyond float64, there is a rule.
func TestRulesOfWavesBeyondDoubles(t *testing.T) {
	const p, turn = 100, 1500
	m := mixtureOf(t, sampledGaussian("1/100", "1", false))
	s, ok := m.ruleStrip(rat("50"), p, maxStep)
	if y := s.logBound(turn, 1.5, maxStep); !ok || !(y.Lo > 750 && y.Hi < 1.6*turn) {
		t.Fatalf("the bound is e^%v", y)
	}
	r, ok := m.chooseRule(p, rat("50"), turn, maxStripNodes)
	if off := coarse.Div(r.err, scaleOf(r.peak)); !ok || off.LessEqRat(interval.Pow2(-p)) != interval.True {
		t.Fatalf("a rule of step %v with the error %v", r.step, off)
	}
}
