// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"os"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func curveOf(t *testing.T, e mechanism.Event, rel mechanism.Relation, d mechanism.Direction) *Curve {
	t.Helper()
	prob, err := meaning.Resolve(e, rel)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCurve(prob, d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestConcentrated: the least ρ of several mechanisms from both sides.
func TestConcentrated(t *testing.T) {
	testkit.SkipShort(t)
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	sampled := mechanism.SelfComposed{Count: 10, Event: mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: gauss}}
	pure := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}
	for _, c := range []struct {
		name  string
		event mechanism.Event
		rho   string
		want  interval.Truth
	}{
		{"Gaussian", gauss, "1/8", interval.True},
		{"Gaussian", gauss, "0.1249999999", interval.False},
		// Sampling does not lower ρ: R_α/α comes near the R_α/α of the base for large α.
		{"sampled Gaussian", sampled, "1.25", interval.True},
		{"sampled Gaussian", sampled, "1.249", interval.False},
		// For ε-DP the least ρ is the ρ of α → 1, the relative entropy ε·tanh(ε/2) = 0.46211….
		{"pure", pure, "0.46212", interval.True},
		{"pure", pure, "0.46211", interval.False},
		{"Laplace", mechanism.Laplace{NoiseMultiplier: rat("1")}, "0.36788", interval.True}, // e^(−1)
		{"Laplace", mechanism.Laplace{NoiseMultiplier: rat("1")}, "0.36787", interval.False},
		{"Gaussian and Laplace", mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.Laplace{NoiseMultiplier: rat("1")}}}, "0.49288", interval.True},
		{"Gaussian and Laplace", mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.Laplace{NoiseMultiplier: rat("1")}}}, "0.49287", interval.False},
		{"an infinite loss", mechanism.EpsilonDelta{Epsilon: rat("0"), Delta: rat("1e-9")}, "100", interval.False},
		{"zCDP", mechanism.ZCDP{Rho: rat("1/3"), Xi: rat("0")}, "1/3", interval.True},
		{"zCDP", mechanism.ZCDP{Rho: rat("1/3"), Xi: rat("0")}, "0.3333", interval.False},
		{"a Rényi curve", mechanism.RenyiCurve{Orders: []*big.Rat{rat("2")}, Values: []*big.Rat{rat("1")}}, "0.6", interval.Unknown},
		{"nothing", mechanism.NoOp{}, "0", interval.True},
	} {
		if c.name == "sampled Gaussian" && c.want == interval.False && os.Getenv("DPVERIFY_LONG") == "" {
			continue // seconds
		}
		curve := curveOf(t, c.event, mechanism.AddOrRemoveOne, mechanism.Both)
		got, at, err := curve.Concentrated(t.Context(), 64, rat(c.rho), 1000)
		if err != nil || got != c.want {
			t.Errorf("%s is %s-zCDP: %v (α = %s), %v, want %v", c.name, c.rho, got, at, err, c.want)
		}
	}
}

// TestCurveOfAGuarantee: what is attained is at most what is stated, and Gaussian noise has
// all that ρ-zCDP allows.
func TestCurveOfAGuarantee(t *testing.T) {
	const p = interval.Prec(64)
	c := curveOf(t, mechanism.ZCDP{Rho: rat("1/3"), Xi: rat("1/5")}, mechanism.AddOrRemoveOne, mechanism.Both)
	for _, a := range []string{"1/2", "1", "3/2", "7"} {
		y := c.At(p, At(rat(a)))
		stated := new(big.Rat).Mul(rat("1/3"), rat(a))
		if y.LessEqRat(stated) == interval.True {
			t.Errorf("R_%s ∈ %s, but randomized response adds to %s", a, y, stated.RatString())
		}
		if rat(a).Cmp(ratOne) > 0 && !y.ContainsRat(stated.Add(stated, rat("1/5"))) {
			t.Errorf("R_%s ∈ %s does not contain what is stated", a, y)
		}
	}
	if y := c.At(p, Infinity); !y.Hi().IsInf() {
		t.Errorf("R_∞ ∈ %s", y)
	}
	c = curveOf(t, mechanism.ZCDP{Rho: rat("1/3"), Xi: rat("0")}, mechanism.AddOrRemoveOne, mechanism.Both)
	if y := c.At(p, At(rat("3"))); !near(y, interval.Int(1), 40) {
		t.Errorf("R_3 ∈ %s, want 1", y)
	}
}

// TestCurveUnderReplacement: factors may be oriented either way, each by itself.
func TestCurveUnderReplacement(t *testing.T) {
	const p = interval.Prec(64)
	e := mechanism.FinitePair{P: []*big.Rat{rat("1/6"), rat("1/6"), rat("2/3")}, Q: []*big.Rat{rat("5/11"), rat("1/2"), rat("1/22")}}
	two := mechanism.SelfComposed{Event: e, Count: 2}
	one, both := curveOf(t, e, mechanism.ReplaceOne, mechanism.Both), curveOf(t, two, mechanism.ReplaceOne, mechanism.Both)
	a := At(rat("3"))
	if y, z := p.Scale(one.At(p, a), 1), both.At(p, a); !near(y, z, 50) {
		t.Errorf("twice: %s, want %s", z, y)
	}
	prob, err := meaning.Resolve(two, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewCurve(prob, mechanism.Add); err == nil {
		t.Error("a direction under REPLACE_ONE is accepted")
	}
}

// TestCurveOfWhatNothingAttains: the curve of a sample without replacement over a Poisson
// sample was the curve of nothing, as no mechanism is known that attains its pair. The lower
// bound is by quadrature: R_2 = 3.92357 of .4N(0)+.6N(2) against .4N(0)+.6N(−2).
func TestCurveOfWhatNothingAttains(t *testing.T) {
	testkit.SkipShort(t)
	const p = interval.Prec(64)
	poisson := func(rate, sigma string) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat(rate), Event: mechanism.Gaussian{NoiseMultiplier: rat(sigma)}}
	}
	e := mechanism.SampledWithoutReplacement{SourceDatasetSize: 3, SampleSize: 2, Event: poisson("9/10", "1/2")}
	c := curveOf(t, e, mechanism.ReplaceOne, mechanism.Both)
	y := c.At(p, At(rat("2")))
	if y.LessRat(rat("3.92356")) != interval.False || !c.Gap {
		t.Errorf("R_2 in %s, want at least 3.92357", y)
	}
	if v, ok := c.Rational(At(rat("2"))); ok {
		t.Errorf("R_2 = %s, exactly", v)
	}
	if ok, _, err := c.Concentrated(t.Context(), p, rat("0.0002"), testkit.Cases(10, 100)); ok != interval.False || err != nil {
		t.Errorf("0.0002-zCDP: %v, %v", ok, err)
	}
	// Of a guarantee nothing is known from below, and from above it is unbounded.
	base := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.EpsilonDelta{Epsilon: rat("3"), Delta: rat("1/10")}}
	c = curveOf(t, mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: base}, mechanism.ReplaceOne, mechanism.Both)
	if y := c.At(p, At(rat("3/2"))); !y.Hi().IsInf() {
		t.Errorf("R_1.5 in %s, want no bound from above", y)
	}
	for _, two := range []mechanism.Event{
		mechanism.Composed{Events: []mechanism.Event{e, mechanism.ZCDP{Rho: rat("1"), Xi: rat("0")}}},
		mechanism.Composed{Events: []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: rat("2")}, e}},
	} {
		if y := curveOf(t, two, mechanism.ReplaceOne, mechanism.Both).At(p, At(rat("2"))); y.LessRat(rat("3.92356")) != interval.False {
			t.Errorf("R_2 of %s in %s, want more", mechanism.EncodeEvent(two), y)
		}
	}
}
