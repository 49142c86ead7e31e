// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestSampledLaplaceAgainstOutside compares log M with values of docs/oracle/renyi.py: the values of samples of
// Laplace noise are (α − 1)·R_α.
func TestSampledLaplaceAgainstOutside(t *testing.T) {
	testkit.SkipShort(t)
	sampled := func(rate string, x pair.Pair) pair.Sampled { return pair.Sampled{Rate: rat(rate), Base: once(x)} }
	laplace := func(rate, s string) pair.Pair { return sampled(rate, pair.Laplace{Shift: rat(s)}) }
	clamped := func(m, t string, first bool) pair.Pair {
		return pair.Clamped{Noise: pair.LaplaceNoise, Location: rat(m), Width: rat("1"), Shift: rat(t), ShiftFirst: first}
	}
	for _, c := range []struct {
		pair          pair.Pair
		alpha, factor string
		forth, back   string
	}{
		{laplace("1/10", "1"), "5/2", "3/2", "0.010807288230476040429175191683772", "0.0096155285412744022906692705570437"},
		{laplace("1/10", "1"), "1/2", "-1/2", "0.0020469127388815694016959782683363", "0.0020469127388815694016959782683363"},
		{laplace("1/10", "1"), "81/2", "79/2", "0.12127070629432369060329803528247", "0.052112866992506931937912338150596"},
		{laplace("1/100", "8"), "5/4", "1/4", "0.033815562219911843415044052233108", "0.0079380645645748906554651913019108"},
		{laplace("1/2", "3"), "301/10", "291/10", "2.3100764661952285977145861097122", "0.62709106454741881498959678733668"},
		{clamped("1/2", "1/2", false), "5/2", "1", "-0.98868858776670476287799550676442", "0.25255625416562044086689125646745"},
		{clamped("1/2", "1/2", true), "5/2", "1", "0.35806898825112603162226354754316", "0.35806898825112603162226354754316"},
		{clamped("-1/2", "1/2", false), "5/2", "1", "-2.4431471805599453094172321214582", "-0.44314718055994530941723212145818"},
		{clamped("-1/2", "1/2", true), "5/2", "1", "0.25412172818632776912871709713828", "0.30929571842767145421196679220864"},
		{clamped("3/2", "1/2", false), "5/2", "1", "0.040339238975545057595332532330756", "0.32053497976240746184517507916639"},
		{clamped("3/2", "1/2", true), "5/2", "1", "0.35806898825112603162226354754316", "0.35806898825112603162226354754316"},
		{clamped("-1/2", "2", false), "5/2", "1", "-6.1931471805599453094172321214582", "1.8068528194400546905827678785418"},
		{clamped("-1/2", "2", true), "5/2", "1", "2.4173396860538087197622745564476", "2.5300700682724790093082326630753"},
		{sampled("3/10", clamped("3/2", "1/2", false)), "5/2", "1", "-0.094767794215660074439740127792473", "0.13141591043140134057765882972672"},
	} {
		for _, side := range []struct {
			pair pair.Pair
			want string
		}{{c.pair, c.forth}, {c.pair.Reverse(), c.back}} {
			f, ok := logMoment(side.pair)
			if !ok {
				t.Fatal(side.pair)
			}
			const w = interval.Prec(200)
			unit := w.Rat(rat("1e-27"))
			want := w.Mul(w.Rat(rat(c.factor)), w.Add(w.Rat(rat(side.want)), interval.Union(unit.Neg(), unit)))
			for _, p := range []interval.Prec{2, 8, 64, 80} {
				y := f(p, rat(c.alpha))
				if _, ok := interval.Intersect(y, want); !ok || p >= 64 && !narrow(y, int(p)-16) {
					t.Errorf("log M(%s) of %s with %d bits: %s, want %s", c.alpha, side.pair, p, y, want)
				}
			}
		}
	}
}

// TestSampledLaplaceAgreesWithCells: of all clamped noise, in both directions, and its samples.
func TestSampledLaplaceAgreesWithCells(t *testing.T) {
	testkit.SkipShort(t)
	compared := 0
	for i, m := range []string{"-2", "-1/4", "0", "1/4", "1", "3"} {
		for j, s := range testkit.InTurn(i, []string{"1/10", "1", "3"}) {
			base := pair.Clamped{Noise: pair.LaplaceNoise, Location: rat(m), Width: rat("2"), Shift: rat(s), ShiftFirst: (i+j)%2 == 0, Reversed: i%4 < 2}
			for _, x := range []pair.Pair{base, pair.Sampled{Rate: rat("1/3"), Base: once(base), Reversed: j == 1}} {
				f, ok := logMoment(x)
				g, ok2 := cells(x)
				if !ok {
					t.Fatal(x)
				}
				if !ok2 {
					continue // one loss only
				}
				compared++
				for _, a := range []*big.Rat{[]*big.Rat{rat("3/10"), rat("7/2")}[compared%2]} {
					name := fmt.Sprintf("log M(%s) of %s", a.RatString(), x)
					if y, z := f(32, a), g(32, a); !near(y, z, 8) {
						t.Errorf("%s: %s, by cells %s", name, y, z)
					}
				}
			}
		}
	}
	if compared < testkit.Cases(7, 20) {
		t.Errorf("%d comparisons", compared)
	}
}

// TestTaylorEncloses: at a = 2 the integrand is a polynomial over (1+z)^(3/2), and with β = 1 and a = 3/2
// it is 1.
func TestTaylorEncloses(t *testing.T) {
	for _, w := range []interval.Prec{2, 8, 64, 200} {
		tau := w.Rat(rat("6/25"))
		if y := taylor(w, rat("3/2"), one, tau); y.LessRat(rat("12/25")) == interval.True || y.Neg().LessRat(rat("-12/25")) == interval.True {
			t.Errorf("%d bits: %s, want 12/25", w, y)
		}
		// ∫ (1+z)^(1/2) dz = 2/3·((1+τ)^(3/2) − (1−τ)^(3/2))
		const p = interval.Prec(300)
		pow := func(x string) interval.Interval { return p.Mul(p.Rat(rat(x)), p.Sqrt(p.Rat(rat(x)))) }
		want := p.Mul(p.Rat(rat("2/3")), p.Sub(pow("31/25"), pow("19/25")))
		if _, ok := interval.Intersect(taylor(w, rat("2"), one, tau), want); !ok {
			t.Errorf("%d bits: %s, want %s", w, taylor(w, rat("2"), one, tau), want)
		}
	}
}
