// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/drawn"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestMeanOfEvents: what a mean of mechanisms is alone, composed, nested, for a group, and what it is not.
func TestMeanOfEvents(t *testing.T) {
	gauss, laplace := mechanism.Gaussian{NoiseMultiplier: rat("2")}, mechanism.Laplace{NoiseMultiplier: rat("1")}
	of := func(es ...mechanism.Event) mechanism.Event {
		shares := rats("1/3", "2/3", "0")[:len(es)]
		return mechanism.Mean{Probabilities: shares, Events: es}
	}
	two, none := of(gauss, laplace), mechanism.NoOp{}
	zcdp := mechanism.ZCDP{Rho: rat("1"), Xi: rat("0")}
	flip := mechanism.PermuteAndFlip{Epsilon: rat("1")}
	coin := mechanism.FinitePair{P: rats("1/4", "3/4"), Q: rats("1/2", "1/2")}
	subset := mechanism.SampledWithoutReplacement{SourceDatasetSize: 9, SampleSize: 3, Event: gauss}
	worst := mechanism.Maximum{Events: []mechanism.Event{gauss, laplace}}
	const mean = "(Mean(1/3·(Gaussian(μ²=1/4)), 2/3·(Laplace(1))))"
	for _, c := range []struct {
		e               mechanism.Event
		rel             mechanism.Relation
		dominating      string
		upper, lower    int
		attained, moves bool // whether the profile is attained, and the divergences
	}{
		{two, mechanism.AddOrRemoveOne, mean, 1, 0, true, true},
		{two, mechanism.ReplaceOne, "(Mean(1/3·(Gaussian(μ²=1)), 2/3·(Laplace(2))))", 1, 0, true, true},
		{of(gauss, laplace, zcdp), mechanism.AddOrRemoveOne, mean, 1, 0, true, true},
		{of(gauss, gauss), mechanism.AddOrRemoveOne, "(Gaussian(μ²=1/4))", 1, 0, true, true},
		{of(none, gauss), mechanism.AddOrRemoveOne, "(Mean(1/3·(), 2/3·(Gaussian(μ²=1/4))))", 1, 0, true, true},
		{of(none, none), mechanism.AddOrRemoveOne, "()", 1, 0, true, true},
		{of(gauss, mechanism.NonPrivate{}), mechanism.AddOrRemoveOne, "(Mean(1/3·(Gaussian(μ²=1/4)), 2/3·(Response(ε=0, δ=1))))", 1, 0, true, true},
		{of(mechanism.NonPrivate{}, mechanism.NonPrivate{}), mechanism.AddOrRemoveOne, "(Response(ε=0, δ=1))", 1, 0, true, true},
		{of(none, two), mechanism.AddOrRemoveOne, "(Mean(1/3·(), 2/3·" + mean + "))", 1, 0, true, true},
		{mechanism.Group{Event: two, Size: 2}, mechanism.AddOrRemoveOne, "(Mean(1/3·(Gaussian(μ²=1)), 2/3·(Laplace(2))))", 1, 0, true, true},
		{of(none, coin), mechanism.AddOrRemoveOne, "", 2, 0, true, true},
		{of(coin, gauss), mechanism.ReplaceOne, "", 2, 0, true, true},
		{of(coin, mechanism.FinitePair{P: rats("1/4", "3/4"), Q: rats("1/3", "2/3")}), mechanism.ReplaceOne, "", 4, 0, true, true},
		{of(worst, coin), mechanism.AddOrRemoveOne, "", 4, 0, true, true}, // two choices in two directions
		{mechanism.SelfComposed{Event: two, Count: 3}, mechanism.AddOrRemoveOne, mean[:len(mean)-1] + "^3)", 1, 0, true, true},
		{mechanism.SelfComposed{Event: of(worst, laplace), Count: 3}, mechanism.AddOrRemoveOne, "", 1, 4, false, true},
		{of(gauss, zcdp), mechanism.AddOrRemoveOne, "(Mean(1/3·(Gaussian(μ²=1/4)), 2/3·(ZCDP(ρ=1, ξ=0))))", 1, 2, false, false},
		{of(gauss, flip), mechanism.AddOrRemoveOne, "", 1, 0, true, false}, // attained at each ε, by scores of its own
		{mechanism.SelfComposed{Event: of(gauss, flip), Count: 2}, mechanism.AddOrRemoveOne, "", 1, -1, false, false},
		{of(gauss, subset), mechanism.ReplaceOne, "", 1, 2, false, false},
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
		mechanism.Mean{Probabilities: rats("1/2", "1/3"), Events: []mechanism.Event{gauss, laplace}},
		mechanism.Mean{Probabilities: rats("3/2", "-1/2"), Events: []mechanism.Event{gauss, laplace}},
		mechanism.Mean{Probabilities: rats("1"), Events: []mechanism.Event{gauss, laplace}},
		mechanism.Mean{},
	} {
		if p, err := Resolve(e, mechanism.AddOrRemoveOne); !errors.As(err, &param) {
			t.Errorf("%v: %v, %v", e, p.Dominating(), err)
		}
	}
	var relation *RelationError
	response := mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2}
	for _, e := range []mechanism.Event{of(gauss, response), of(gauss, laplace, response)} {
		if _, err := Resolve(e, mechanism.AddOrRemoveOne); !errors.As(err, &relation) {
			t.Errorf("%v: %v", e, err)
		}
	}
}

// TestMeansOfManyAlternatives: the means of one alternative of each event are listed if they are no more than 64, and
// otherwise are below the mean of the greatest profiles.
func TestMeansOfManyAlternatives(t *testing.T) {
	var es []mechanism.Event
	for i := range int64(6) {
		es = append(es, mechanism.FinitePair{P: []*big.Rat{big.NewRat(1, i+3), big.NewRat(i+2, i+3)}, Q: rats("1/2", "1/2")})
	}
	for _, c := range []struct {
		n, upper, lower int
	}{{6, 64, 0}, {7, 1, 2}} {
		e := mechanism.Mean{Probabilities: slices.Repeat([]*big.Rat{big.NewRat(1, int64(c.n))}, c.n), Events: slices.Clone(es)}
		if c.n == 7 {
			e.Events = append(e.Events, mechanism.FinitePair{P: rats("1/10", "9/10"), Q: rats("1/2", "1/2")})
		}
		p, err := Resolve(e, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Profile(mechanism.Both)
		if err != nil || len(b.Upper) != c.upper || len(b.Lower) != c.lower || b.Attained != (c.lower == 0) {
			t.Fatalf("%d events: %d above, %d below, attained %v, %v", c.n, len(b.Upper), len(b.Lower), b.Attained, err)
		}
		if _, ok := pair.Single[pair.Finite](p.Dominating()); !ok {
			t.Errorf("%d events: %v is not finite", c.n, p.Dominating())
		}
	}
}

// TestMeansOfEqualProducts: what is drawn among equal products is one of them.
func TestMeansOfEqualProducts(t *testing.T) {
	a, b := pair.Copies(pair.Gaussian{Mu2: rat("1")}, 1), pair.Copies(pair.Laplace{Shift: rat("1")}, 2)
	for _, c := range []struct {
		shares []*big.Rat
		of     []pair.Product
		want   string
	}{
		{rats("1/4", "1/4", "1/2"), []pair.Product{a, b, a}, "(Mean(3/4·(Gaussian(μ²=1)), 1/4·(Laplace(1)^2)))"},
		{rats("1/4", "1/4", "1/2"), []pair.Product{a, a, a}, "(Gaussian(μ²=1))"},
		{rats("1/4", "1/4", "1/2"), []pair.Product{nil, a, b}, "(Mean(1/4·(), 1/4·(Gaussian(μ²=1)), 1/2·(Laplace(1)^2)))"},
		{rats("1", "0"), []pair.Product{b, a}, "(Laplace(1)^2)"},
		{rats("1/2", "1/2"), []pair.Product{nil, nil}, "()"},
	} {
		if got := drawn.Of(c.shares, c.of).String(); got != c.want {
			t.Errorf("%v of %v is %s, want %s", c.shares, c.of, got, c.want)
		}
	}
	x := pair.Mean{Shares: rats("1/3", "1/2", "1/6"), Of: []pair.Product{a, b, a.Times(2)}}
	likely, rare, others := drawn.Apart(x)
	if likely.String() != b.String() || rare.Cmp(rat("1/2")) != 0 || others.String() != "(Mean(2/3·(Gaussian(μ²=1)), 1/3·(Gaussian(μ²=1)^2)))" {
		t.Errorf("%s is %s or, with probability %s, %s", x, likely, rare.RatString(), others)
	}
}
