// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"math/big"
	"os"
	"slices"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/internal/testkit"
)

func product(x pair.Pair, n int64, more ...pair.Term) pair.Product {
	return append(pair.Product{{Pair: x, Count: n}}, more...)
}

func delta(t testing.TB, prod pair.Product, p interval.Prec, eps string) interval.Interval {
	t.Helper()
	x, ok := New(prod)
	if !ok {
		t.Fatalf("no transform of %s", prod)
	}
	y, err := x.Delta(t.Context(), p, interval.RealRat(rat(eps)))
	if err != nil {
		t.Fatal(err)
	}
	return y
}

var epsilons = []string{"-3", "-1/2", "0", "1/3", "1", "5/2", "6"}

// TestGaussian: against the closed form, at every precision; at low ones answers must be
// right, and may be wide.
func TestGaussian(t *testing.T) {
	for _, mu2 := range []string{"1", "1/10", "9"} {
		tails, _ := closed.PairTails(pair.Gaussian{Mu2: rat(mu2)})
		for i, eps := range epsilons {
			want := tails.Delta(300, interval.RealRat(rat(eps)))
			for _, p := range slices.Concat(testkit.InTurn(i, [][]interval.Prec{{2, 5, 24, 128}, {3, 8, 64, 256}})...) {
				got := delta(t, product(pair.Gaussian{Mu2: rat(mu2)}, 1), p, eps)
				if _, ok := interval.Intersect(got, want); !ok {
					t.Errorf("μ² = %s: δ(%s) in %v at %d bits, want %v", mu2, eps, got, p, want)
				}
				if b := got.RelativeBits(int(p)); b < int(p)-3 {
					t.Errorf("μ² = %s: δ(%s) in %v, %d of %d bits", mu2, eps, got, b, p)
				}
			}
		}
	}
}

// TestDiscreteTimesGaussian: discrete factors with infinite masses on either side, against
// the sum over their outcomes of the Gaussian's profile.
func TestDiscreteTimesGaussian(t *testing.T) {
	testkit.SkipShort(t)
	g := pair.Gaussian{Mu2: rat("1/4")}
	tails, _ := closed.PairTails(g)
	base := func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		return tails.Delta(p, eps), nil
	}
	asymmetric := pair.NewFinite(rats("1/10", "3/5", "3/10", "0"), rats("0", "1/5", "3/5", "1/5"))
	for k, discrete := range []pair.Product{
		product(pair.Response{Eps: rat("1/2"), Delta: rat("1/1000")}, 7),
		product(pair.Response{Eps: rat("2"), Delta: new(big.Rat)}, 3),
		product(asymmetric, 3), product(asymmetric.Reverse(), 3),
		product(pair.Sampled{Rate: rat("1/5"), Base: product(asymmetric, 1)}, 3),
		product(pair.Sampled{Rate: rat("1/5"), Base: product(asymmetric, 1), Reversed: true}, 3),
		product(pair.DiscreteLaplace{A: rat("1/3"), Sensitivity: 2}, 4),
		product(pair.DiscreteGaussian{Sigma2: rat("4"), Sensitivity: 1}, 1, pair.Term{Pair: asymmetric, Count: 1}),
		product(pair.Mixed(rat("1/3"), product(pair.Response{Eps: rat("1"), Delta: rat("1/10")}, 1)), 2),
	} {
		prod := append(product(g, 1), discrete...)
		os, rest, ok := pair.ProductOutcomes(discrete, 200, 100000)
		if !ok {
			t.Fatalf("%s: no outcomes", discrete)
		}
		model := profile.Times(base, os, rest)
		for i, eps := range testkit.QuickTurn(k, epsilons) {
			want, err := model(t.Context(), 160, interval.RealRat(rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range testkit.InTurn(i+k, []interval.Prec{2, 100, 8, 40}) {
				got := delta(t, prod, p, eps)
				if _, ok := interval.Intersect(got, want); !ok {
					t.Errorf("%s: δ(%s) in %v at %d bits, want %v", prod, eps, got, p, want)
				}
				if b := got.RelativeBits(int(p)); b < int(p)-3 {
					t.Errorf("%s: δ(%s) in %v, %d of %d bits", prod, eps, got, b, p)
				}
			}
		}
	}
}

func rats(ss ...string) []*big.Rat {
	var out []*big.Rat
	for _, s := range ss {
		out = append(out, rat(s))
	}
	return out
}

// TestDPSGD: values from outside: mpmath 1.3.0 at 62 digits, by the trapezoidal sums in x
// and along two lines Re s with different periods, which agree to 45 digits or more.
func TestDPSGD(t *testing.T) {
	for i, c := range []struct {
		mu2, rate string
		steps     int64
		reversed  bool
		eps, want string
	}{
		{"1", "1/1000", 10000, false, "1", "9.77343104967155795969797232113904726590678e-12"},
		{"1", "1/1000", 10000, true, "1", "1.9132032210068335861029292751190046906232286509813e-18"},
		{"1/4", "1/100", 1500, false, "1", "9.46965764516836456567485091497178252384141298635e-8"},
		{"1/4", "1/100", 1500, true, "1", "1.4199715012687445270629921156135966252770967366396e-8"},
		{"25/16", "1/100", 1000, false, "3", "1.7671375868329519834740181599299782028279070630e-5"},
	} {
		if os.Getenv("DPVERIFY_LONG") == "" && (i%3 != 0 || i > 0 && testing.Short()) {
			continue
		}
		prod := product(sampledGaussian(c.rate, c.mu2, c.reversed), c.steps)
		got := delta(t, prod, 128, c.eps)
		want := rat(c.want)
		slack := new(big.Rat).Mul(want, rat("1e-41"))
		if !(got.ContainsRat(new(big.Rat).Add(want, slack)) || got.ContainsRat(new(big.Rat).Sub(want, slack)) || got.ContainsRat(want)) {
			lo, hi := got.Decimal(50)
			t.Errorf("%s: δ(%s) in [%s, %s], want %s", prod, c.eps, lo, hi, c.want)
		}
		if b := got.RelativeBits(1000); b < 110 {
			t.Errorf("%s: δ(%s) in %v, %d bits", prod, c.eps, got, b)
		}
	}
}

// onGrid returns δ of a product by a small grid of exact/pld.
func onGrid(t *testing.T, prod pair.Product) func(eps string) interval.Interval {
	t.Helper()
	grid, ok, err := pld.NewGrid(t.Context(), prod, pld.Settings{Points: 1 << 10, Limit: 1 << 16, Prec: 61, Cut: 57})
	if err != nil || !ok {
		t.Fatalf("%s: no grid: %v", prod, err)
	}
	return func(eps string) interval.Interval {
		y, err := grid.Delta(t.Context(), 64, interval.RealRat(rat(eps)))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
}

// TestInsidePLD: the enclosures of exact/pld and of the inversion have a common point, and
// the inversion's is the narrower one.
func TestInsidePLD(t *testing.T) {
	third := pair.Response{Eps: rat("1/3"), Delta: rat("1e-6")}
	for i, prod := range []pair.Product{
		product(sampledGaussian("1/100", "1/4", false), 300),
		product(pair.SampledReplaceGaussian{Rate: rat("1/50"), Mu2: rat("1")}, 50),
		product(pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: rats("0", "1/2", "2"), Probs: rats("24/25", "1/50", "1/50")}}, 60),
		product(pair.GaussianMixture{P: normals.Mixture{Means: rats("-1", "0", "2"), Probs: rats("1/50", "24/25", "1/50")}, Q: normals.Standard()}, 8, pair.Term{Pair: pair.Gaussian{Mu2: rat("1/4")}, Count: 1}),
		product(pair.Gaussian{Mu2: rat("1/4")}, 3, pair.Term{Pair: pair.Laplace{Shift: rat("1/10")}, Count: 20}, pair.Term{Pair: third, Count: 10}),
		product(sampledGaussian("1/20", "1", false), 40, pair.Term{Pair: pair.Laplace{Shift: rat("1/2")}, Count: 2}, pair.Term{Pair: third, Count: 2}),
	} {
		if os.Getenv("DPVERIFY_LONG") == "" && (i%4 != 0 || i > 0 && testing.Short()) {
			continue
		}
		grid := onGrid(t, prod)
		for _, eps := range []string{"-1/2", "1/2"} {
			y := grid(eps)
			x := delta(t, prod, 64, eps)
			if z, ok := interval.Intersect(x, y); !ok || z.RelativeBits(64) < x.RelativeBits(64) {
				t.Errorf("%s: δ(%s) in %v, by the grid in %v", prod, eps, x, y)
			}
			if x.RelativeBits(64) < 60 {
				t.Errorf("%s: δ(%s) in %v: wide", prod, eps, x)
			}
		}
	}
}

// TestMixedCompositions: 30 digits and more, and the same at two precisions.
func TestMixedCompositions(t *testing.T) {
	testkit.SkipShort(t)
	prod := product(pair.Gaussian{Mu2: rat("1/4")}, 3,
		pair.Term{Pair: pair.Laplace{Shift: rat("1/10")}, Count: 20},
		pair.Term{Pair: pair.Response{Eps: rat("1/3"), Delta: rat("1e-6")}, Count: 10})
	at := []string{"1"}
	if testkit.Long() {
		at = append(at, "-2", "0", "4", "10")
	}
	for _, eps := range at {
		x, y := delta(t, prod, 110, eps), delta(t, prod, 300, eps)
		if !x.Encloses(y) || x.RelativeBits(200) < 107 || y.RelativeBits(400) < 297 {
			t.Errorf("δ(%s) in %v at 110 bits (%d settled) and %v at 300 (%d)", eps, x, x.RelativeBits(200), y, y.RelativeBits(400))
		}
	}
}

// TestLinesDoNotDependOnHistory: the answer to a question does not depend on those before.
func TestLinesDoNotDependOnHistory(t *testing.T) {
	testkit.SkipShort(t)
	prod := product(pair.Gaussian{Mu2: rat("1")}, 1, pair.Term{Pair: pair.Laplace{Shift: rat("1")}, Count: 2})
	x, _ := New(prod)
	alone := make(map[string]interval.Interval)
	for range 2 {
		for _, eps := range epsilons[:min(len(epsilons), testkit.Cases(2, 99))] {
			if _, ok := alone[eps]; !ok {
				alone[eps] = delta(t, prod, 64, eps)
			}
			y, err := x.Delta(t.Context(), 64, interval.RealRat(rat(eps)))
			if err != nil {
				t.Fatal(err)
			}
			if z := alone[eps]; y.Lo().Cmp(z.Lo()) != 0 || y.Hi().Cmp(z.Hi()) != 0 {
				t.Errorf("δ(%s) in %v, and %v alone", eps, y, z)
			}
		}
	}
}

// TestWideEpsilon: an enclosure of ε gives an enclosure of δ at all of its members.
func TestWideEpsilon(t *testing.T) {
	g := pair.Gaussian{Mu2: rat("1")}
	tails, _ := closed.PairTails(g)
	x, _ := New(product(g, 1))
	for _, width := range []int{-2, -10, -40} {
		wide := func(p interval.Prec) interval.Interval {
			return interval.Union(one, p.Add(one, p.Scale(one, width)))
		}
		y, err := x.Delta(t.Context(), 64, wide)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []interval.Interval{wide(100), interval.Point(wide(100).Lo()), interval.Point(wide(100).Hi())} {
			want := tails.Delta(100, func(interval.Prec) interval.Interval { return at })
			if y.Lo().Cmp(want.Hi()) > 0 || y.Hi().Cmp(want.Lo()) < 0 {
				t.Errorf("δ of an ε of width 2^%d in %v, misses %v", width, y, want)
			}
		}
	}
}

// TestDoesNotApply: products about whose fall nothing is known.
func TestDoesNotApply(t *testing.T) {
	for _, prod := range []pair.Product{
		product(pair.Response{Eps: rat("1"), Delta: rat("0")}, 10),
		product(pair.Laplace{Shift: rat("1")}, 10, pair.Term{Pair: pair.Response{Eps: rat("1"), Delta: rat("0")}, Count: 1}),
		product(sampledGaussian("1/10", "1", false), 1),
		product(pair.ZCDP{Rho: rat("1"), Xi: rat("0")}, 1, pair.Term{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 1}),
	} {
		if Applies(prod) {
			t.Errorf("applies to %s", prod)
		}
	}
}
