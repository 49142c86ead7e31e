// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

func rats(ss ...string) []*big.Rat {
	var out []*big.Rat
	for _, s := range ss {
		out = append(out, rat(s))
	}
	return out
}

func finite(p, q []*big.Rat) Finite { return NewFinite(p, q) }

// TestFiniteByHand: merging, order, reversal, infinite mass and profile of one pair.
func TestFiniteByHand(t *testing.T) {
	f := finite(rats("1/8", "1/2", "0", "1/4", "1/8"), rats("0", "1/4", "1/2", "1/8", "1/8"))
	if f.String() != "Finite(1/8:0 3/4:3/8 1/8:1/8 0:1/2)" {
		t.Errorf("outcomes %s", f)
	}
	if r := f.Reverse().String(); r != "Finite(1/2:0 1/8:1/8 3/8:3/4 0:1/8)" {
		t.Errorf("reversed %s", r)
	}
	if f.Inf().Cmp(rat("1/8")) != 0 || f.Reverse().(Finite).Inf().Cmp(rat("1/2")) != 0 {
		t.Errorf("infinite masses %s and %s", f.Inf(), f.Reverse().(Finite).Inf())
	}
	for alpha, want := range map[string]string{"0": "1", "1/2": "3/4", "1": "1/2", "3/2": "5/16", "2": "1/8", "100": "1/8"} {
		if d := f.Delta(rat(alpha)); d.Cmp(rat(want)) != 0 {
			t.Errorf("H_%s = %s, want %s", alpha, d.RatString(), want)
		}
	}
	if s := f.Sample(rat("1/4")).String(); s != "Finite(1/32:0 15/32:3/8 1/8:1/8 3/8:1/2)" {
		t.Errorf("sampled %s", s)
	}
	if err := checkDistributions(f.Sample(rat("1/4"))); err != nil {
		t.Error(err)
	}
	if f.SelfDual() || !finite(rats("3/4", "1/4"), rats("1/4", "3/4")).SelfDual() {
		t.Error("SelfDual")
	}
}

// TestSymmetriseByHand: two profiles that cross between their ratios.
func TestSymmetriseByHand(t *testing.T) {
	f := finite(rats("1/6", "1/6", "2/3"), rats("5/11", "1/2", "1/22"))
	g := f.Symmetrise()
	if err := checkDistributions(g); err != nil {
		t.Fatal(err)
	}
	if !g.SelfDual() {
		t.Errorf("%s is not self-dual", g)
	}
	r := f.Reverse().(Finite)
	for i := int64(0); i <= 400; i++ {
		alpha := big.NewRat(i, 20)
		want := f.Delta(alpha)
		if d := r.Delta(alpha); d.Cmp(want) > 0 {
			want = d
		}
		if d := g.Delta(alpha); d.Cmp(want) != 0 {
			t.Fatalf("H_%s = %s, want %s", alpha.RatString(), d.RatString(), want.RatString())
		}
	}
}

// TestProductByHand: masses of two copies of (3/4, 1/4) against (1/4, 3/4) and of three.
func TestProductByHand(t *testing.T) {
	const p = interval.Prec(64)
	f := finite(rats("3/4", "1/4"), rats("1/4", "3/4"))
	for k, want := range map[int64][]string{
		2: {"9/16", "3/8", "1/16"},
		3: {"27/64", "27/64", "9/64", "1/64"},
	} {
		os, rest, ok := ProductOutcomes(Product{{f, k}}, p, 100)
		if !ok || !rest.IsZero() || len(os) != len(want) {
			t.Fatalf("k = %d: %d outcomes", k, len(os))
		}
		for i, o := range os {
			// In order of falling or rising loss: the masses of Q are the masses of P backwards.
			j := i
			if !os[0].P.ContainsRat(rat(want[0])) {
				j = len(os) - 1 - i
			}
			if !o.P.ContainsRat(rat(want[j])) || !o.Q.ContainsRat(rat(want[len(want)-1-j])) || !o.Exact {
				t.Errorf("k = %d: outcome %d has %s and %s, want %s and %s", k, i, o.P, o.Q, want[j], want[len(want)-1-j])
			}
			if r, ok := o.Loss.Log(); !ok || r.Cmp(new(big.Rat).Quo(rat(want[j]), rat(want[len(want)-1-j]))) != 0 {
				t.Errorf("k = %d: outcome %d has loss %s", k, i, o.Loss)
			}
		}
	}
	if u := UnionPower(p, p.Rat(rat("1/10")), 3); !u.ContainsRat(rat("271/1000")) || u.RelativeBits(50) < 50 {
		t.Errorf("1 − 0.9³ = %s", u)
	}
	if _, _, ok := ProductOutcomes(Product{{finite(rats("1/2", "1/4", "1/4"), rats("1/4", "1/4", "1/2")), 1000}}, p, 1000); ok {
		t.Error("C(1002, 2) outcomes are within a limit of 1000")
	}
}

// TestLimitsByHand: the mass of infinite loss and the largest finite loss.
func TestLimitsByHand(t *testing.T) {
	f := finite(rats("1/8", "3/8", "1/2"), rats("0", "1/8", "7/8"))
	g := Product{{Gaussian{Mu2: rat("1")}, 1}}
	for _, c := range []struct {
		prod Product
		inf  string
		max  string // "" for none
	}{
		{Product{{f, 1}}, "1/8", "1·log(3)"},
		{Product{{f, 2}}, "15/64", "2·log(3)"},
		{Product{{f.Reverse(), 1}}, "0", "1·log(7/4)"},
		{Product{{f, 1}, {Response{rat("1"), rat("1/2")}, 2}}, "25/32", "2 + 1·log(3)"},
		{Product{{Response{rat("1"), rat("1")}, 1}}, "1", ""},
		{Product{{Laplace{Shift: rat("2/3")}, 3}}, "0", "2"},
		{Product{{DiscreteLaplace{rat("1/2"), 3}, 1}}, "0", "3/2"},
		{Product{{Sampled{Rate: rat("1/4"), Base: Product{{f, 1}}}, 1}}, "1/32", ""},
		{Product{{Sampled{Rate: rat("1/4"), Base: Product{{f, 1}}, Reversed: true}, 1}}, "0", ""},
		{Product{{Mixed(rat("1/4"), Product{{f, 1}}), 1}}, "1/32", "1·log(3)"},
		{Product{{Mean{rats("1/4", "3/4"), []Product{{{f, 1}}, {{Response{rat("3"), rat("1/2")}, 1}}}}, 1}}, "13/32", "3"},
		{Product{{Mean{rats("1/4", "3/4"), []Product{{{f, 1}}, {{Response{rat("1"), rat("1")}, 1}}}}, 1}}, "25/32", "1·log(3)"},
		{g, "0", ""},
		{Product{{NewHull(profilePoints("0", "1/2", "1", "1/4", "2", "1/4")), 3}}, "37/64", "3"},
		{Product{{NewHull(profilePoints("1", "1", "2", "1")), 1}}, "1", ""},
	} {
		m, ok := InfMass(c.prod)
		if !ok || m.Cmp(rat(c.inf)) != 0 {
			t.Errorf("%s: infinite mass %v, want %s", c.prod, m, c.inf)
		}
		l, ok := MaxLoss(c.prod)
		if got := l.String(); ok != (c.max != "") || ok && got != c.max {
			t.Errorf("%s: largest loss %s, %v, want %q", c.prod, got, ok, c.max)
		}
	}
	if !Unbounded(g) || Unbounded(Product{{f, 1}}) || Unbounded(Product{{Response{rat("1"), rat("1")}, 1}, {Gaussian{Mu2: rat("1")}, 1}}) {
		t.Error("Unbounded")
	}
	// Beside a factor of infinite losses only, the losses of the Gaussian do not show.
	for _, x := range []Pair{
		Truncated{Noise: GaussianNoise, Width: rat("1"), Sensitivity: rat("10"), Radius: rat("1")}, Truncated{Noise: LaplaceNoise, Width: rat("1"), Sensitivity: rat("2"), Radius: rat("1")},
		NewHull(profilePoints("-1", "1", "1", "1")), finite(rats("1", "0"), rats("0", "1")),
	} {
		disjoint := Product{{Gaussian{Mu2: rat("1")}, 1}, {x, 1}}
		for _, prod := range []Product{disjoint, {{Sampled{Rate: rat("1/2"), Base: disjoint}, 1}}, {{Mixed(rat("1/2"), disjoint), 1}}} {
			if Unbounded(prod) {
				t.Errorf("%s has unbounded finite losses", prod)
			}
		}
	}
}

// TestLossByHand: sums of logarithms are compared exactly.
func TestLossByHand(t *testing.T) {
	l := LogLoss(rat("6")).Add(LogLoss(rat("2")).Neg()).Add(LogLoss(rat("1/3"))) // log 6 − log 2 − log 3
	if l.Cmp(rat("0")) != 0 {
		t.Errorf("%s is not 0", l)
	}
	if LogLoss(rat("4")).Add(LogLoss(rat("2")).Times(-2)).Cmp(rat("0")) != 0 {
		t.Error("log 4 − 2·log 2 is not 0")
	}
	if LogLoss(rat("3")).Cmp(rat("1")) != 1 || LogLoss(rat("5/2")).Cmp(rat("1")) != -1 {
		t.Error("log against 1")
	}
	if r, ok := LogLoss(rat("3/2")).Times(3).Log(); !ok || r.Cmp(rat("27/8")) != 0 {
		t.Errorf("3·log(3/2) = log %v", r)
	}
	if RatLoss(rat("1/3")).Add(RatLoss(rat("2/3"))).Cmp(rat("1")) != 0 {
		t.Error("1/3 + 2/3")
	}
}

// TestHullByHand: one point is randomized response; two points give its hull, whose
// mirror images count.
func TestHullByHand(t *testing.T) {
	if x := NewHull(profilePoints("1", "1/10")); x.String() != "Response(ε=1, δ=1/10)" {
		t.Errorf("one point is %s", x)
	}
	const p = interval.Prec(80)
	os, _, _ := NewHull(profilePoints("0", "3/10", "1", "1/10")).Outcomes(p, 100)
	delta := func(alpha interval.Interval) interval.Interval {
		sum := interval.Int(0)
		for _, o := range os {
			sum = p.Add(sum, interval.Max(interval.Int(0), p.Sub(o.P, p.Mul(alpha, o.Q))))
		}
		return sum
	}
	e := p.Exp(interval.Int(1))
	for _, c := range []struct {
		name        string
		alpha, want interval.Interval
	}{
		{"at ε = 0", interval.Int(1), p.Rat(rat("3/10"))},
		{"at ε = 1", e, p.Rat(rat("1/10"))},
		{"at ε = 5", p.Exp(interval.Int(5)), p.Rat(rat("1/10"))},
		{"at ε = −1", p.Inv(e), p.Sub(interval.Int(1), p.Mul(p.Inv(e), p.Rat(rat("9/10"))))}, // 1 − 1/e + 0.1/e
		{"half way", p.Scale(p.Add(e, interval.Int(1)), -1), p.Rat(rat("1/5"))},
	} {
		if y := delta(c.alpha); p.Sub(y, c.want).Abs().LessEqRat(rat("1e-18")) != interval.True {
			t.Errorf("%s: %s, want %s", c.name, y, c.want)
		}
	}
}

// TestDiscreteNoiseByHand: discrete Laplace with e^−a = 1/2 nearly, sensitivity 2, and the
// discrete Gaussian against its normaliser.
func TestDiscreteNoiseByHand(t *testing.T) {
	const p = interval.Prec(100)
	ln2, _, _ := interval.Prec(300).Ln2().Rationals()
	os, _, _ := DiscreteLaplace{ln2, 2}.Outcomes(p, 100)
	// r = 1/2: P(X ≤ 0) = 2/3, P(X = 1) = 1/6, P(X ≥ 2) = 1/6.
	for i, want := range []string{"2/3", "1/6", "1/6"} {
		if p.Sub(os[i].P, p.Rat(rat(want))).Abs().LessEqRat(rat("1e-28")) != interval.True {
			t.Errorf("outcome %d has P = %s, want %s", i, os[i].P, want)
		}
		if p.Sub(os[2-i].Q, p.Rat(rat(want))).Abs().LessEqRat(rat("1e-28")) != interval.True {
			t.Errorf("outcome %d has Q = %s, want %s", 2-i, os[2-i].Q, want)
		}
	}
	for _, sigma2 := range []string{"1/4", "1", "9/2"} {
		os, rest, ok := DiscreteGaussian{rat(sigma2), 2}.Outcomes(p, 1000)
		if !ok {
			t.Fatal("no outcomes")
		}
		sumP, sumQ := interval.Int(0), interval.Int(0)
		for _, o := range os {
			sumP, sumQ = p.Add(sumP, o.P), p.Add(sumQ, o.Q)
			if l := p.Log(p.Div(o.P, o.Q)); !o.Exact || p.Sub(l, o.Loss.Enclose(p)).Abs().LessEqRat(rat("1e-20")) != interval.True {
				t.Errorf("σ² = %s: an outcome of ratio e^%s has loss %s", sigma2, l, o.Loss)
			}
		}
		for _, s := range []interval.Interval{sumP, sumQ} {
			if all := p.Add(s, rest); !all.ContainsRat(rat("1")) || all.RelativeBits(90) < 80 {
				t.Errorf("σ² = %s: masses sum to %s, rest %s", sigma2, s, rest)
			}
		}
	}
}
