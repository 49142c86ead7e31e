// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

// pairOf is the pair of one step.
func pairOf(kind Kind, q, mu2 *big.Rat) pair.Pair {
	if kind == Replaced {
		return pair.SampledReplaceGaussian{Rate: q, Mu2: mu2}
	}
	base := pair.Product{{Pair: pair.Gaussian{Mu2: mu2}, Count: 1}}
	return pair.Sampled{Rate: q, Base: base, Reversed: kind == Added}
}

// TestOneStepIsEnclosed: whatever the noise and the threshold, also where they are no good, the profile of one step is
// in the enclosure: the closed form of its tails says what it is.
func TestOneStepIsEnclosed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := testkit.Draws(350, 1000, 20000)
	informative := 0
	for range n {
		kind := Kind(r.IntN(3))
		q := big.NewRat(1+r.Int64N(999), []int64{1000, 100000, 10000000}[r.IntN(3)])
		mu2 := big.NewRat(1+r.Int64N(4000), []int64{1, 10, 100}[r.IntN(3)])
		x := pairOf(kind, q, mu2)
		_, ok := New(pair.Product{{Pair: x, Count: 1}})
		if !ok {
			t.Fatalf("no steps of %s", x)
		}
		a := big.NewRat(r.Int64N(600)-200, 10)
		half := double.Near(mu2) / 2
		at := half * (2.2*r.Float64() - .2)
		if g := double.Near(q); r.IntN(2) == 0 { // next to 0, where misses and unclear hits tell
			at = []float64{-g * r.Float64(), g * r.Float64(), math.Log1p(-g) * r.Float64(), 4 * (r.Float64() - .5), math.Log(g) + 40*r.Float64()}[r.IntN(5)]
		}
		switch r.IntN(4) {
		case 0: // the least a with u < ε, where what is unclear tells
			kind, q, mu2 = Removed, big.NewRat(3+r.Int64N(900), 1000), big.NewRat(1+r.Int64N(30), 4)
			at = 5 * r.Float64()
			a = new(big.Rat).SetFloat64(1e-6 - math.Log((math.Expm1(at)+double.Near(q))/double.Near(q)))
		case 1: // an a that hits of the other record do not meet
			kind, q, mu2 = Replaced, big.NewRat(500+r.Int64N(499), 1000), big.NewRat(1+r.Int64N(400), 100)
			at, a = 4*r.Float64(), big.NewRat(10+r.Int64N(20), 1)
		case 2: // an ε that only misses tell from others
			kind, q, mu2 = Removed, big.NewRat(3+r.Int64N(900), 1000), big.NewRat(40+r.Int64N(400), 1)
			at, a = 3*math.Log1p(-double.Near(q))*r.Float64(), big.NewRat(r.Int64N(100), 10)
		}
		x = pairOf(kind, q, mu2)
		s, _ := New(pair.Product{{Pair: x, Count: 1}})
		tails, _ := closed.PairTails(x)
		eps := interval.RealRat(new(big.Rat).SetFloat64(at))
		p := []interval.Prec{4, 8, 24, 53, 100}[r.IntN(5)]
		y, err := s.Delta(t.Context(), p, a, 200, eps)
		truth := tails.Delta(120, eps)
		if both, meet := interval.Intersect(y, truth); err != nil || !meet || both.RelativeBits(100) < truth.RelativeBits(100)-4 {
			t.Fatalf("kind %d, q = %s, μ² = %s, a = %v, %d bits: δ(%v) = %v, not %v, %v", kind, q.RatString(), mu2.RatString(), a, p, eps(53), y, truth, err)
		}
		if y.RelativeBits(53) > 2 {
			informative++
		}
	}
	if informative < n/20 {
		t.Errorf("%d of %d say anything", informative, n)
	}
}

// TestStepsAreEnclosed: for several steps, the enclosure meets the one of the inversion, and is as narrow as it says.
func TestStepsAreEnclosed(t *testing.T) {
	for i, c := range testkit.Few(3, []struct {
		kind   Kind
		q, mu2 string
		n      int64
		eps    string
		scale  int
	}{
		{Removed, "1/2", "64", 30, "500", 10}, {Removed, "1/2", "64", 3, "90", 10}, {Removed, "1/10", "16", 16, "20", 8}, {Removed, "9/10", "144", 18, "1200", 12},
		{Replaced, "1/10", "9", 16, "20", 8}, {Replaced, "1/2", "16", 16, "50", 8}, {Added, "1/10", "9", 16, "1/2", 8},
	}) {
		prod := pair.Product{{Pair: pairOf(c.kind, rat(c.q), rat(c.mu2)), Count: c.n}}
		s, _ := New(prod)
		x, ok := (*inversion.Memo)(nil).New(prod)
		if !ok {
			t.Fatalf("no transform of %s", prod)
		}
		eps := interval.RealRat(rat(c.eps))
		truth, err := x.Delta(t.Context(), 40, eps)
		if err != nil {
			t.Fatal(err)
		}
		for j, p := range []interval.Prec{4, 12, 30} {
			a, _ := s.clear(p, c.scale, double.Near(rat(c.eps)))
			for _, a := range testkit.QuickTurn(i+j, []*big.Rat{a, rat("0"), rat("-3"), rat("7/2"), rat("9")}) {
				y, err := s.Delta(t.Context(), p, a, 100, eps)
				if _, meet := interval.Intersect(y, truth); err != nil || !meet {
					t.Errorf("%s, a = %v, %d bits: δ(%s) = %v, not %v, %v", prod, a, p, c.eps, y, truth, err)
				}
			}
		}
	}
}

// TestAddedNearTheLargestLoss: where many misses are unclear, ε(δ) is still known to be near the largest loss.
func TestAddedNearTheLargestLoss(t *testing.T) {
	for _, c := range []struct {
		q, mu2 string
		n      int64
	}{{"1/10", "400/9", 50}, {"1/100", "100", 1000}, {"3/10", "49", 20}} {
		s := Steps{Added, rat(c.q), rat(c.mu2), c.n}
		a, settled := s.Clear(16, 20, interval.Int(1))
		largest := interval.Prec(80).Mul(interval.Int(-c.n), interval.Prec(80).Log1p(interval.Prec(80).Rat(s.Q).Neg()))
		below := func(p interval.Prec) interval.Interval { return p.Mul(largest, p.Rat(rat("999/1000"))) }
		y, err := s.Delta(t.Context(), 16, a, 100, below)
		if err != nil || settled >= 16 || y.Lo().Cmp(big.NewFloat(1e-6)) <= 0 {
			t.Errorf("%v: δ is %v next to the largest loss, %d bits, %v", s, y, settled, err)
		}
	}
}

// TestClearIsSharp: with little noise all digits are settled, and of another product nothing is said.
func TestClearIsSharp(t *testing.T) {
	for _, c := range []struct {
		kind     Kind
		q, sigma string
		n        int64
		delta    string
		scale    int
	}{
		{Removed, "0.00323", "0.0219", 55, "4.95e-7", 21}, {Removed, "1.4e-7", "0.0313", 26, "2.82e-10", 32},
		{Replaced, "0.000477", "0.0206", 13086, "2.99e-7", 22}, {Added, "0.01", "0.02", 1000, "1e-6", 20},
	} {
		sigma := rat(c.sigma)
		prod := pair.Product{{Pair: pairOf(c.kind, rat(c.q), new(big.Rat).Inv(sigma.Mul(sigma, sigma))), Count: c.n}}
		s, ok := New(prod)
		eps, ok2 := s.Near(rat(c.delta))
		if !ok || !ok2 {
			t.Fatalf("nothing of %s", prod)
		}
		a, settled := s.clear(60, c.scale, double.Near(eps))
		y, err := s.Delta(t.Context(), 60, a, 200, interval.RealRat(eps))
		if err != nil || settled < 60 || !s.Serves(60, c.scale) || c.kind != Added && y.RelativeBits(60) < 40 {
			t.Errorf("%s: δ(%s) = %v, %d bits, %v", prod, eps.FloatString(3), y, settled, err)
		}
		d := rat(c.delta)
		wide := interval.Prec(60).Mul(interval.Prec(60).Rat(d), interval.Bounds(big.NewFloat(.99), big.NewFloat(1.01)))
		if _, meet := interval.Intersect(y, wide); c.kind != Added && !meet {
			t.Errorf("%s: δ(%s) = %v, and it was to be near %s", prod, eps.FloatString(3), y, c.delta)
		}
	}
	if s := (Steps{Removed, rat("1/100"), rat("4"), 1000}); s.Serves(16, 20) {
		t.Error("σ = 1/2 is little noise")
	}
	for _, prod := range []pair.Product{
		{{Pair: pair.Gaussian{Mu2: rat("1")}, Count: 3}}, {},
		{{Pair: pairOf(Removed, rat("1/2"), rat("1")), Count: 2}, {Pair: pairOf(Removed, rat("1/3"), rat("1")), Count: 2}},
		{{Pair: pair.Sampled{Rate: rat("1/2"), Base: pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 1}}}, Count: 2}},
	} {
		if _, ok := New(prod); ok {
			t.Errorf("%s has hits", prod)
		}
	}
}

// TestLeftOut: terms that are left out, as δ is faint, are bounded.
func TestLeftOut(t *testing.T) {
	s := Steps{Removed, rat("1/1000"), rat("2500"), 100}
	a, _ := s.clear(40, 60, 7000)
	eps := interval.RealRat(rat("7000"))
	sharp, err := s.Delta(t.Context(), 40, a, 400, eps)
	if err != nil || sharp.RelativeBits(40) < 30 {
		t.Fatalf("δ = %v, %v", sharp, err)
	}
	for _, faint := range []int{0, 2, 8, 12} {
		y, err := s.Delta(t.Context(), 40, a, faint, eps)
		if _, meet := interval.Intersect(sharp, y); err != nil || !meet {
			t.Errorf("δ = %v below 2^−%d, not %v, %v", y, faint, sharp, err)
		}
	}
}
