// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"errors"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// hullOf is the pair of a stated profile.
func hullOf(t *testing.T, points ...string) pair.Pair {
	t.Helper()
	var e mechanism.DominatingPair
	for i := 0; i < len(points); i += 2 {
		e.Profile = append(e.Profile, mechanism.ProfilePoint{Epsilon: rat(points[i]), Delta: rat(points[i+1])})
	}
	prob, err := meaning.Resolve(e, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	return prob.Dominating()[0].Pair
}

// TestGreatestLossOfHulls: the hull of a stated profile has its greatest finite loss at the
// largest ε at which the profile falls.
func TestGreatestLossOfHulls(t *testing.T) {
	for _, p := range []interval.Prec{8, 64, 256} {
		for _, c := range []struct {
			points []string
			want   string
		}{
			{[]string{"0", "1/10", "3/2", "0"}, "3/2"},
			{[]string{"1/2", "1/10", "1", "1/20", "2", "1/100"}, "2"},
			{[]string{"1/2", "1/10", "1", "1/20", "2", "1/20"}, "1"}, // whether the last point has mass is open
		} {
			x := hullOf(t, c.points...)
			y := greatestLoss(p, x)
			if !y.ContainsRat(rat(c.want)) || p > 8 && !narrow(y, int(p)-10) && c.want != "1" {
				t.Errorf("%d bits: the greatest loss of %s is in %s, want %s", p, x, y, c.want)
			}
		}
	}
	if y := greatestLoss(64, pair.Response{Eps: rat("1"), Delta: rat("1")}); !y.Encloses(interval.Entire()) {
		t.Errorf("nothing but an infinite loss: %s", y)
	}
	if y := greatestLoss(64, pair.GaussianMixture{P: normals.Standard(), Q: normals.Mixture{Means: []*big.Rat{rat("1"), rat("2")}, Probs: []*big.Rat{rat("1/2"), rat("1/2")}}}); !y.Lo().IsInf() || y.Lo().Signbit() {
		t.Errorf("a mixture without a mean 0: %s, want ∞", y)
	}
	if y := Of(once(hullOf(t, "0", "1/10", "3/2", "0")))(64, Infinity); !y.ContainsRat(rat("3/2")) {
		t.Errorf("R_∞ ∈ %s, want 3/2", y)
	}
}

// TestSampledGreatestLossUnknown: what is not known of the base is not known of the sample,
// but for the cap −log(1 − γ) of its reverse.
func TestSampledGreatestLossUnknown(t *testing.T) {
	const p = interval.Prec(64)
	clamped := pair.Clamped{Noise: pair.LaplaceNoise, Location: rat("1"), Width: rat("1"), Shift: rat("1"), Reversed: true}
	x := pair.Sampled{Rate: rat("1/2"), Base: once(clamped), Reversed: true}
	y := greatestLoss(p, x)
	if y.Lo().Sign() > 0 || !near(interval.Point(y.Hi()), p.Ln2(), 50) {
		t.Errorf("%s: %s, want [0, log 2]", x, y)
	}
	long := pair.Sampled{Rate: rat("1/2"), Base: once(pair.Binomial{Trials: 1000, Prob: rat("1/3"), Sensitivity: 65})}
	if y := greatestLoss(p, long); y.IsFinite() {
		t.Errorf("%s: %s", long, y)
	}
}

// TestConcentratedUndecided: few steps, or a curve that is not known to suffice, decide nothing;
// slopes of samples and discrete noise decide at once.
func TestConcentratedUndecided(t *testing.T) {
	testkit.SkipShort(t)
	laplace := mechanism.Laplace{NoiseMultiplier: rat("1")}
	pure := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: new(big.Rat)}
	finite := mechanism.FinitePair{P: []*big.Rat{rat("1/6"), rat("1/6"), rat("2/3")}, Q: []*big.Rat{rat("5/11"), rat("1/2"), rat("1/22")}}
	for _, c := range []struct {
		name  string
		event mechanism.Event
		rel   mechanism.Relation
		rho   string
		steps int
		want  interval.Truth
	}{
		{"no step", laplace, mechanism.AddOrRemoveOne, "0.36788", 0, interval.Unknown},
		{"one step", laplace, mechanism.AddOrRemoveOne, "0.36788", 1, interval.Unknown},
		{"R_∞ ≤ ρ", pure, mechanism.AddOrRemoveOne, "1", 0, interval.True},
		{"discrete Gaussian", mechanism.DiscreteGaussian{Sigma: rat("2"), Sensitivity: rat("3"), Dimension: 1}, mechanism.AddOrRemoveOne, "9/8", 0, interval.True},
		{"discrete Gaussian", mechanism.DiscreteGaussian{Sigma: rat("2"), Sensitivity: rat("3"), Dimension: 1}, mechanism.AddOrRemoveOne, "1.12", 100, interval.False},
		{"sampled guarantee", mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: pure}, mechanism.AddOrRemoveOne, "1", 0, interval.True},
		{"sampled zCDP", mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.ZCDP{Rho: rat("1/3"), Xi: new(big.Rat)}}, mechanism.ReplaceOne, "1/3", 0, interval.True},
		{"either orientation", mechanism.SelfComposed{Event: finite, Count: 2}, mechanism.ReplaceOne, "100", 1000, interval.True},
		{"either orientation", mechanism.SelfComposed{Event: finite, Count: 2}, mechanism.ReplaceOne, "1/10", 1000, interval.False},
	} {
		got, at, err := curveOf(t, c.event, c.rel, mechanism.Both).Concentrated(t.Context(), 64, rat(c.rho), c.steps)
		if err != nil || got != c.want {
			t.Errorf("%s is %s-zCDP in %d steps: %v (α = %s), %v, want %v", c.name, c.rho, c.steps, got, at, err, c.want)
		}
	}
}

// TestRationalCurves: guarantees and Gaussian noise have rational curves at finite orders.
func TestRationalCurves(t *testing.T) {
	zcdp := curveOf(t, mechanism.ZCDP{Rho: rat("1/3"), Xi: rat("1/5")}, mechanism.AddOrRemoveOne, mechanism.Both)
	for _, c := range []struct {
		alpha Order
		want  string
	}{{At(rat("3")), "6/5"}, {At(rat("1")), "8/15"}, {At(rat("1/10")), "8/135"}, {Infinity, ""}} {
		r, ok := zcdp.Rational(c.alpha)
		if ok != (c.want != "") || ok && r.Cmp(rat(c.want)) != 0 {
			t.Errorf("R_%s of zCDP is %v, %t, want %q", c.alpha, r, ok, c.want)
		}
	}
	if Infinity.String() != "inf" || At(rat("3/2")).String() != "1.5" {
		t.Errorf("orders %s and %s", Infinity, At(rat("3/2")))
	}
	for _, alpha := range []string{"0", "-1"} {
		a := At(rat(alpha))
		if err := a.Check(); !errors.As(err, new(*mechanism.ParamError)) {
			t.Errorf("order %s: %v", alpha, err)
		}
		if y := zcdp.At(64, a); !y.Lo().IsInf() || !y.Hi().IsInf() {
			t.Errorf("R_%s in %v", alpha, y)
		}
		if _, ok := zcdp.Rational(a); ok {
			t.Errorf("R_%s is rational", alpha)
		}
	}
	if err := Infinity.Check(); err != nil {
		t.Error(err)
	}
}

// TestUnknownMoments: where the moments are not known, nothing is said.
func TestUnknownMoments(t *testing.T) {
	const p = interval.Prec(64)
	// Orders that the sampled bounds say nothing about.
	noise := pair.Product{{Pair: pair.Laplace{Shift: rat("1")}, Count: 2}}
	forth, _ := sampledBound(pair.Sampled{Rate: rat("1/2"), Base: noise})
	back, _ := sampledReversedBound(pair.Sampled{Rate: rat("1/2"), Base: noise, Reversed: true})
	for _, alpha := range []string{"1/2", "1000000000000000000000"} {
		if y := forth(p, rat(alpha)); !y.Encloses(interval.Entire()) {
			t.Errorf("log M(%s) of a sample ∈ %s", alpha, y)
		}
	}
	if y := back(p, rat("1/2")); !y.Encloses(interval.Entire()) {
		t.Errorf("log M(1/2) of a reversed sample ∈ %s", y)
	}
	// Discrete noise whose sums are too long.
	wide := discreteGaussian(pair.DiscreteGaussian{Sigma2: rat("1e12"), Sensitivity: 1})
	if y := wide(p, rat("3/2")); !y.ContainsRat(rat("3/8000000000000")) || !narrow(y, 2) {
		t.Errorf("log M(3/2) of wide discrete noise ∈ %s", y)
	}
}

// TestBetweenOnEitherSide: Φ(b) − Φ(a) equals the difference of the mirror images, which does not cancel.
func TestBetweenOnEitherSide(t *testing.T) {
	for _, c := range [][2]string{{"1", "3"}, {"30", "31"}, {"0", "1/100"}} {
		a, b := rat(c[0]), rat(c[1])
		x, y := between(64, a, b), between(64, new(big.Rat).Neg(b), new(big.Rat).Neg(a))
		if !near(x, y, 50) || x.Positive() != interval.True {
			t.Errorf("Φ(%s) − Φ(%s) ∈ %s, of the mirror images %s", c[1], c[0], x, y)
		}
	}
}

// TestCrudeMeans: without nodes, moments of mixtures keep sound bounds, in either order of the powers. Of single means
// they are exact, also far from 0.
func TestCrudeMeans(t *testing.T) {
	half, third := twoMeans(rat("1/2"), rat("1")), twoMeansBelow(rat("1/3"), rat("4"))
	at := func(m string) blend { return blend{[]interval.Real{interval.RealRat(rat(m))}, []*big.Rat{ratOne}} }
	products := func(g, h blend, e string) [][]power {
		f := new(big.Rat).Neg(minusOne(rat(e)))
		return [][]power{{{g, rat(e)}}, {{g, rat(e)}, {h, f}}, {{h, f}, {g, rat(e)}}}
	}
	for _, e := range []string{"-7", "-1", "1/3", "3/2", "3", "9"} {
		for i, fs := range products(half, third, e) {
			fine := gaussianMean(64, fs)
			for _, p := range []interval.Prec{2, 3, 5, 8, 64} {
				crude := crudeMean(p, fs)
				if _, ok := interval.Intersect(crude, fine); !ok || p == 64 && !crude.Encloses(fine) {
					t.Errorf("p = %d, exponent %s, powers %d: log M ∈ %s, crudely %s", p, e, i, fine, crude)
				}
			}
		}
		for _, fs := range products(at("1000"), at("1003"), e)[1:] {
			exact := new(big.Rat).Mul(rat(e), minusOne(rat(e)))
			exact.Mul(exact, rat("9/2"))
			y := crudeMean(64, fs)
			if !y.ContainsRat(exact) || exact.Sign() >= 0 && !narrow(y, 50) {
				t.Errorf("exponent %s: log M = %s, crudely %s", e, exact, y)
			}
		}
	}
}

// TestCrudeMeansAtHighOrders: the finite sum at integer orders is between the bounds, which are near to it.
func TestCrudeMeansAtHighOrders(t *testing.T) {
	for _, c := range []struct {
		rate, mu2 string
		alpha     int64
	}{{"1/100", "16", 128}, {"1/2", "100", 300}, {"1/1000", "1", 100}} {
		x := pair.Sampled{Rate: rat(c.rate), Base: once(pair.Gaussian{Mu2: rat(c.mu2)})}
		sum, _ := logMoment(x)
		y := sum(64, big.NewRat(c.alpha, 1))
		for _, p := range []interval.Prec{2, 5, 8, 64} {
			z := crudeMean(p, []power{{twoMeans(x.Rate, rat(c.mu2)), big.NewRat(c.alpha, 1)}})
			if _, ok := interval.Intersect(y, z); !ok || p == 64 && !near(y, z, 40) {
				t.Errorf("p = %d, q = %s, μ² = %s, α = %d: %s and %s", p, c.rate, c.mu2, c.alpha, y, z)
			}
		}
	}
}
