// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestMemo: what is answered with a memo contains what is answered without one up to the widths of both, and is as
// accurate; and it is the same, digit by digit, whatever the memo holds.
func TestMemo(t *testing.T) {
	sampled := func(rate, mu2 string, reversed bool) pair.Pair {
		return pair.Sampled{Rate: rat(rate), Base: product(pair.Gaussian{Mu2: rat(mu2)}, 1), Reversed: reversed}
	}
	a, b := sampled("1/10", "1", false), sampled("1/5", "4/9", false)
	laplace := pair.Laplace{Shift: rat("1/5")}
	gauss := pair.Gaussian{Mu2: rat("1/16")}
	used := new(Memo)
	for i, prod := range []pair.Product{
		product(a, 20), product(a, 21), product(a, 22, pair.Term{Pair: b, Count: 16}), product(sampled("1/10", "1", true), 22),
		product(gauss, 3, pair.Term{Pair: laplace, Count: 2}), product(gauss, 4, pair.Term{Pair: a, Count: 20}),
	} {
		for _, p := range []interval.Prec{24, 48} {
			for _, eps := range []string{"1/2", "1"} {
				if p == 24 && eps == "1" || !testkit.Long() && (p == 24) != (i%3 == 0) || i < 2 && p == 48 && eps == "1/2" && !testkit.Thorough() {
					continue
				}
				at := interval.RealRat(rat(eps))
				of := func(m *Memo) interval.Interval {
					x, ok := m.New(prod)
					if !ok {
						t.Fatalf("no transform of %s", prod)
					}
					y, err := x.Delta(t.Context(), p, at)
					if err != nil {
						t.Fatal(err)
					}
					if n, ok := x.Near(t.Context(), big.NewRat(1, 1000)); !ok || n.Sign() <= 0 {
						t.Errorf("%s: near ε(1/1000): %v, %v", prod, n, ok)
					}
					return y
				}
				alone, fresh, kept := of(nil), of(new(Memo)), of(used)
				if _, ok := interval.Intersect(alone, fresh); !ok || fresh.RelativeBits(int(p)) < min(int(p), alone.RelativeBits(int(p)))-8 {
					t.Errorf("%s, %d bits: δ(%s) = %v, with a memo %v", prod, p, eps, alone, fresh)
				}
				if fresh.Lo().Cmp(kept.Lo()) != 0 || fresh.Hi().Cmp(kept.Hi()) != 0 {
					t.Errorf("%s, %d bits: δ(%s) = %v with a fresh memo, %v with one that was used", prod, p, eps, fresh, kept)
				}
			}
		}
	}
}

// TestTransformsAreShared: questions about one product share its transform, and each is answered the same, digit by
// digit, in whatever order they are asked: also where the reverse answers, or a transform without rare outcomes.
func TestTransformsAreShared(t *testing.T) {
	rare := pair.Sampled{Rate: rat("1/100000"), Base: product(pair.Gaussian{Mu2: rat("1")}, 1)}
	replaced := pair.SampledReplaceGaussian{Rate: rat("1/20000"), Mu2: rat("1/4")}
	for _, c := range []struct {
		prod   pair.Product
		eps    []string
		shares func(x *Transform) bool
	}{
		{product(rare, 100), []string{"1/1000", "1001/1000000", "1/100"}, func(x *Transform) bool {
			for _, extra := range x.mirrored {
				if extra > 0 {
					return true
				}
			}
			return false
		}},
		{product(replaced, 100), []string{"1/2000", "1001/2000000", "1/1000"}, func(x *Transform) bool { return len(x.thin) > 0 }},
	} {
		ask := func(m *Memo, eps string) interval.Interval {
			x, _ := m.New(c.prod)
			y, err := x.Delta(t.Context(), 40, interval.RealRat(rat(eps))) // more than lines in double precision have
			if err != nil || y.RelativeBits(40) < 24 {
				t.Fatalf("%s: δ(%s) = %v, %v", c.prod, eps, y, err)
			}
			return y
		}
		forward, backward := new(Memo), new(Memo)
		var first []interval.Interval
		for _, eps := range c.eps {
			first = append(first, ask(forward, eps))
		}
		for i := len(c.eps) - 1; i >= 0; i-- {
			if y := ask(backward, c.eps[i]); y.Lo().Cmp(first[i].Lo()) != 0 || y.Hi().Cmp(first[i].Hi()) != 0 {
				t.Errorf("%s: δ(%s) = %v, and %v in another order", c.prod, c.eps[i], first[i], y)
			}
		}
		x, _ := forward.New(c.prod)
		if y, _ := forward.New(c.prod); x != y || !c.shares(x) || len(x.lines) > 0 {
			t.Errorf("%s: the transform is made again, or of another kind than it is here for", c.prod)
		}
	}
}

// TestKept: what a memo keeps is what the factor itself says, for these arguments and no others.
func TestKept(t *testing.T) {
	m := new(Memo)
	for i, x := range []pair.Pair{
		pair.Sampled{Rate: rat("1/10"), Base: product(pair.Gaussian{Mu2: rat("1")}, 1)},
		pair.Sampled{Rate: rat("1/5"), Base: product(pair.Gaussian{Mu2: rat("1")}, 1)}, pair.Laplace{Shift: rat("1/5")},
	} {
		kept, _ := m.factor(x)
		for range 2 {
			for j, l := range []string{"1/2", "2"} {
				for _, h := range testkit.QuickTurn(i+j, []string{"1/4", "1/2"}) {
					for _, n := range testkit.InTurn(i, []int{2, 4}) {
						lambda, step := rat(l), interval.Prec(80).Rat(rat(h))
						ask := func(f factor) string {
							f = f.at(coarse)
							line, err := f.line(t.Context(), 60, lambda, step, n)
							points, ok := f.points(t.Context(), lambda, double.Of(step), n)
							words, fits, err2 := keptWords(t.Context(), f, parameters{lambda: lambda, period: rat("5")}, 60, fixed.FromInterval(step), n)
							inf, lost := f.infinite()
							return fmt.Sprint(line, err, points, ok, words.values, words.err, fits, err2, inf, lost, f.sizes(lambda, double.Of(step), n), f.decay(lambda)(1, float64(n)),
								f.moment(doublePrec, lambda), f.moment(60, lambda), f.logMoment(double.Near(lambda)))
						}
						if got, want := ask(kept), ask(plain(kept)); got != want {
							t.Fatalf("%s at λ = %s, h = %s, n = %d: kept\n%s, want\n%s", x, l, h, n, got, want)
						}
					}
				}
			}
		}
	}
	if _, ok := m.factor(pair.ZCDP{Rho: rat("1"), Xi: rat("0")}); ok {
		t.Error("a guarantee has a transform")
	}
}

// TestMemoCountsFactors: factors count, and they are forgotten as all else is.
func TestMemoCountsFactors(t *testing.T) {
	m := new(Memo)
	for i := range int64(2*remembered.Most/tableSize + 3) {
		x := pair.Sampled{Rate: big.NewRat(1, i+2), Base: product(pair.Gaussian{Mu2: rat("1")}, 1)}
		if _, ok := m.factor(x); !ok {
			t.Fatalf("no transform of %s", x)
		}
	}
	if n := m.kept.Len(); n > 2*remembered.Most/tableSize {
		t.Errorf("%d factors are kept", n)
	}
	many := discrete{outcomes: make([]outcome, 1000)}
	if n := numbersOf(many); n < 1000 {
		t.Errorf("1000 outcomes count as %d numbers", n)
	}
}

// TestMemoRoundsUp: up is above, in float64.
func TestMemoRoundsUp(t *testing.T) {
	m := new(Memo)
	for _, x := range []float64{1, 1.0625, 1.25, 3, 0x1p-40 * 13, 1e300, 5e-324, 7.999} {
		if got, want := m.up(x), double.Near(m.above(x)); got != want || got < x {
			t.Errorf("%g is rounded to %g, want %g", x, got, want)
		}
	}
}

// TestAboutTellsDirections: of both directions, About is greater for the one whose ε is.
func TestAboutTellsDirections(t *testing.T) {
	delta := rat("1/100000")
	for _, c := range []struct {
		rate, mu2 string
		n         int64
	}{{"1/100", "1", 1000}, {"1/10", "1/4", 50}, {"1/1000", "4/9", 5000}} {
		prod := product(pair.Sampled{Rate: rat(c.rate), Base: product(pair.Gaussian{Mu2: rat(c.mu2)}, 1)}, c.n)
		var near, about [2]float64
		for i, p := range []pair.Product{prod, prod.Reverse()} {
			x, _ := New(p)
			e, ok := x.Near(t.Context(), delta)
			a, ok2 := x.About(delta)
			if !ok || !ok2 {
				t.Fatalf("%s: no ε is known", p)
			}
			near[i], about[i] = double.Near(e), double.Near(a)
		}
		if (near[0] > near[1]) != (about[0] > about[1]) {
			t.Errorf("%s: ε is near %v, and %v is said about it", prod, near, about)
		}
	}
}
