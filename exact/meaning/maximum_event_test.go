// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestMaximumEvent: what a maximum of mechanisms is alone, composed, nested, and what it is not.
func TestMaximumEvent(t *testing.T) {
	gauss, laplace := mechanism.Gaussian{NoiseMultiplier: rat("2")}, mechanism.Laplace{NoiseMultiplier: rat("1")}
	of := func(es ...mechanism.Event) mechanism.Event { return mechanism.Maximum{Events: es} }
	two := of(gauss, laplace)
	none := mechanism.NoOp{}
	zcdp := mechanism.ZCDP{Rho: rat("1"), Xi: rat("0")}
	subset := mechanism.SampledWithoutReplacement{SourceDatasetSize: 9, SampleSize: 3, Event: gauss}
	for _, c := range []struct {
		e               mechanism.Event
		rel             mechanism.Relation
		dominating      string
		upper, lower    int
		attained, moves bool // whether the profile is attained, and the divergences
	}{
		{two, mechanism.AddOrRemoveOne, "(Maximum((Gaussian(μ²=1/4)), (Laplace(1))))", 2, 0, true, true},
		{two, mechanism.ReplaceOne, "(Maximum((Gaussian(μ²=1)), (Laplace(2))))", 2, 0, true, true},
		{of(gauss, none), mechanism.AddOrRemoveOne, "(Gaussian(μ²=1/4))", 1, 0, true, true},
		{of(gauss, gauss), mechanism.AddOrRemoveOne, "(Gaussian(μ²=1/4))", 1, 0, true, true},
		{of(two, laplace), mechanism.AddOrRemoveOne, "(Maximum((Gaussian(μ²=1/4)), (Laplace(1))))", 2, 0, true, true},
		{of(gauss, mechanism.NonPrivate{}), mechanism.AddOrRemoveOne, "(Response(ε=0, δ=1))", 1, 0, true, true},
		{of(mechanism.SelfComposed{Event: gauss, Count: 3}, laplace), mechanism.AddOrRemoveOne, "(Maximum((Gaussian(μ²=1/4)^3), (Laplace(1))))", 2, 0, true, true},
		{mechanism.SelfComposed{Event: two, Count: 3}, mechanism.AddOrRemoveOne, "(Maximum((Gaussian(μ²=1/4)), (Laplace(1)))^3)", 1, 4, false, true},
		{of(gauss, zcdp), mechanism.AddOrRemoveOne, "(Maximum((Gaussian(μ²=1/4)), (ZCDP(ρ=1, ξ=0))))", 2, 0, false, false},
		{of(mechanism.Composed{Events: []mechanism.Event{two, gauss}}, laplace), mechanism.AddOrRemoveOne, "", 2, 0, false, false},
	} {
		p, err := Resolve(c.e, c.rel)
		if err != nil {
			t.Errorf("%v under %s: %v", c.e, c.rel, err)
			continue
		}
		if got := p.Dominating().String(); c.dominating != "" && got != c.dominating {
			t.Errorf("%v under %s: %s, want %s", c.e, c.rel, got, c.dominating)
		}
		b, err := p.Profile(mechanism.Both)
		if err != nil || len(b.Upper) != c.upper || b.Attained != c.attained || c.lower > 0 && len(b.Lower) != c.lower || b.Attained != (len(b.Lower) == 0) {
			t.Errorf("%v under %s: %d above, %d below, attained %v, %v", c.e, c.rel, len(b.Upper), len(b.Lower), b.Attained, err)
		}
		if d, err := p.Divergence(mechanism.Both); err != nil || d.Attained != c.moves {
			t.Errorf("%v under %s: divergences attained: %v, %v", c.e, c.rel, d.Attained, err)
		}
	}
	var param *mechanism.ParamError
	for _, e := range []mechanism.Event{
		mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: two},
		mechanism.PoissonSampled{SamplingProbability: rat("0"), Event: two},
		mechanism.SampledWithReplacement{SourceDatasetSize: 9, SampleSize: 3, Event: two},
		mechanism.RandomAllocation{Event: two, NumSelected: 1, NumSteps: 3},
		mechanism.RepeatAndSelect{Event: mechanism.Composed{Events: []mechanism.Event{two, gauss}}, Mean: rat("3"), Shape: rat("1")},
		mechanism.SelfComposed{Event: two, Count: mechanism.MaxCount},
		of(),
	} {
		p, err := Resolve(e, mechanism.AddOrRemoveOne)
		if s, ok := e.(mechanism.SelfComposed); ok && s.Count == mechanism.MaxCount {
			if err != nil {
				t.Errorf("%v: %v", e, err)
			}
			continue
		}
		if !errors.As(err, &param) {
			t.Errorf("%v: %v, %v", e, p.Dominating(), err)
		}
	}
	var relation *RelationError
	for _, e := range []mechanism.Event{mechanism.Group{Event: two, Size: 2}, of(gauss, mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2})} {
		if _, err := Resolve(e, mechanism.AddOrRemoveOne); !errors.As(err, &relation) {
			t.Errorf("%v: %v", e, err)
		}
	}
	// Of two that are not self-dual, each may be either way round where records may be exchanged.
	p, err := Resolve(of(gauss, mechanism.FinitePair{P: rats("3/4", "1/4"), Q: rats("1/2", "1/2")}), mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := p.Profile(mechanism.Both); err != nil || len(b.Upper) != 3 || !b.Attained {
		t.Errorf("%v, %v", b, err)
	}
	if _, err := Resolve(of(gauss, subset), mechanism.ReplaceOne); err != nil {
		t.Error(err)
	}
}

// TestOrientationsOfAlternatives: an alternative that is several copies is dominated by the product of the greatest of
// their profiles, and no longer attained as a whole; a single copy is a choice of both orientations.
func TestOrientationsOfAlternatives(t *testing.T) {
	b := pair.Copies(pair.NewFinite(rats("1/10", "9/10"), rats("1/2", "1/2")), 1)
	gauss := pair.Copies(pair.Gaussian{Mu2: rat("1")}, 1)
	for _, c := range []struct {
		of    []pair.Product
		count int
		whole bool
	}{
		{[]pair.Product{b, gauss}, 3, true},
		{[]pair.Product{gauss.Times(2), gauss}, 2, true},
		{[]pair.Product{b.Times(2), gauss}, 2, false},
		{[]pair.Product{append(append(pair.Product(nil), gauss...), b...), gauss}, 2, false},
	} {
		free, whole := NewFactors(c.of...).freely()
		if of, ok := free.Alternatives(); !ok || len(of) != c.count || whole != c.whole {
			t.Errorf("%v: %v, whole %v", c.of, of, whole)
		}
		m := meaning{NewFactors(c.of...), evidence{known: attained}, traits{}}.freely()
		if upper := m.factors.Product(); m.evidence.everywhere() != c.whole || !upper.SelfDual() {
			t.Errorf("%v: attained %v, %v", c.of, m.evidence.everywhere(), upper)
		}
	}
}

// TestTestsOfNoiseTossNoCoin: where a sample may be between its two orientations, tests reach the hull of both if the
// mechanism may toss a coin for all to see. A mechanism with a guarantee may; noise on a function may not.
func TestTestsOfNoiseTossNoCoin(t *testing.T) {
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	guarantee := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}
	for _, c := range []struct {
		e        mechanism.Event
		attained bool
	}{
		{gauss, false},
		{mechanism.Laplace{NoiseMultiplier: rat("1")}, false},
		{mechanism.DiscreteGaussian{Sigma: rat("1"), Sensitivity: rat("1"), Dimension: 1}, false},
		{mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 3}, false},
		{guarantee, true},
		{mechanism.Composed{Events: []mechanism.Event{gauss, guarantee}}, true},
		{mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.EpsilonDelta{Epsilon: rat("0"), Delta: rat("0")}}}, true},
	} {
		p, err := Resolve(mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 1, Event: c.e}, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if b, ok := p.Tests(mechanism.Both); !ok || b.Attained != c.attained {
			t.Errorf("a sample of %s: %v, attained %v, want %v", mechanism.EncodeEvent(c.e), ok, b.Attained, c.attained)
		}
	}
}

// TestChoicesAfterACoin: an output that says nothing of the data may be a coin, by which the next mechanism is one or
// the other of several, or one way round or the other. So tests are better than of each of them: on the way between two
// corners of their trade-off functions.
func TestChoicesAfterACoin(t *testing.T) {
	coin := mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("1/2", "1/2")}
	a := mechanism.FinitePair{P: rats("1/2", "1/2", "0"), Q: rats("1/2", "0", "1/2")}
	b := mechanism.FinitePair{P: rats("1/4", "3/4"), Q: rats("3/4", "1/4")}
	lopsided := mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("1", "0")}
	for name, c := range map[string]struct {
		e     mechanism.Event
		r     mechanism.Relation
		mixed bool
	}{
		"one of two":                 {mechanism.Maximum{Events: []mechanism.Event{a, b}}, mechanism.AddOrRemoveOne, false},
		"one of two after a coin":    {mechanism.Composed{Events: []mechanism.Event{coin, mechanism.Maximum{Events: []mechanism.Event{a, b}}}}, mechanism.AddOrRemoveOne, true},
		"one of two after nothing":   {mechanism.Composed{Events: []mechanism.Event{mechanism.NoOp{}, mechanism.Maximum{Events: []mechanism.Event{a, b}}}}, mechanism.AddOrRemoveOne, false},
		"either way round":           {lopsided, mechanism.ReplaceOne, false},
		"either way after a coin":    {mechanism.Composed{Events: []mechanism.Event{coin, lopsided}}, mechanism.ReplaceOne, true},
		"either way, twice a sample": {mechanism.SelfComposed{Event: mechanism.PoissonSampled{SamplingProbability: rat("0"), Event: coin}, Count: 2}, mechanism.AddOrRemoveOne, false},
	} {
		p, err := Resolve(c.e, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if _, mixed := p.Tests(mechanism.Both); mixed != c.mixed {
			t.Errorf("%s: tests of averages %v, want %v", name, mixed, c.mixed)
		}
	}
}
