// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"strings"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestSamplesUnderReplaceSpecial: a sample of sums is one of the neighbour without the
// record; what may show the size of its sample is not amplified in ε.
func TestSamplesUnderReplaceSpecial(t *testing.T) {
	half := rat("1/2")
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	rr := mechanism.RandomizedResponse{NoiseParameter: half, NumBuckets: 2}
	pure := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}
	for _, c := range []struct {
		of   mechanism.Event
		want string
	}{
		{gauss, "(Sampled(1/2, (Gaussian(μ²=1))))"},
		{pure, "(Mean(1/2·(Response(ε=1, δ=0)), 1/2·()))"},
		{mechanism.ZCDP{Rho: rat("1"), Xi: rat("0")}, "(Mean(1/2·(ZCDP(ρ=1, ξ=0)), 1/2·()))"},
		{mechanism.RenyiCurve{Orders: rats("2"), Values: rats("1")}, "(Mean(1/2·(RenyiCurve(2; 1)), 1/2·()))"},
		{mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: rat("1"), Delta: rat("1/9")}}}, "(Mean(1/2·(Response(ε=1, δ=1/9)), 1/2·()))"},
		{rr, "(Mean(1/2·(Finite(3/4:1/2 1/4:1/2)), 1/2·()))"},
		{mechanism.Composed{Events: []mechanism.Event{gauss, pure}}, "(Mean(1/2·(Gaussian(μ²=1) × Response(ε=1, δ=0)), 1/2·()))"},
		{mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.PoissonSampled{SamplingProbability: half, Event: rr}}},
			"(Mean(1/2·(Gaussian(μ²=1) × Mean(1/2·(Finite(3/4:1/2 1/4:1/2)), 1/2·())), 1/2·()))"},
		{mechanism.FinitePair{P: rats("1/2", "1/2"), Q: rats("1/3", "2/3")}, "(Finite(5/12:1/3 7/12:2/3))"},
		{mechanism.NonPrivate{}, "(Response(ε=0, δ=1))"},
		{mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.NonPrivate{}}}, "(Response(ε=0, δ=1))"},
	} {
		p, err := Resolve(mechanism.PoissonSampled{SamplingProbability: half, Event: c.of}, mechanism.ReplaceSpecial)
		if err != nil || p.Dominating().String() != c.want {
			t.Errorf("a sample of %s is %s, %v, want %s", mechanism.EncodeEvent(c.of), p.Dominating(), err, c.want)
		}
	}
}

// TestVisibleSamplesByTheDefinition: M(S) = (|S|, randomized response of the record), a
// (log 3, 0)-DP mechanism for replacing a record, sampled at rate 1/2: outcome by outcome,
// δ(log 2) is what is resolved, and more than ((1−γ)Q + γP, Q) has.
func TestVisibleSamplesByTheDefinition(t *testing.T) {
	// Outcomes: no record, (1, right), (1, wrong).
	p, q := rats("1/2", "3/8", "1/8"), rats("1/2", "1/8", "3/8")
	truth := pair.NewFinite(p, q).Delta(rat("2"))
	base := pair.NewFinite(rats("3/4", "1/4"), rats("1/4", "3/4"))
	if truth.Cmp(rat("1/8")) != 0 || base.Sample(rat("1/2")).Delta(rat("2")).Cmp(truth) >= 0 {
		t.Fatalf("δ = %s", truth)
	}
	rr := mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2} // right with 3/4
	for _, rel := range []mechanism.Relation{mechanism.ReplaceOne} {
		x, err := Resolve(mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: rr}, rel)
		if err != nil {
			t.Fatal(err)
		}
		os, _, ok := pair.ProductOutcomes(x.Dominating(), 64, 100)
		if !ok || len(os) != 3 {
			t.Fatalf("%s: %v", rel, os)
		}
		for _, o := range os {
			known := false
			for i := range p {
				known = known || o.P.ContainsRat(p[i]) && o.Q.ContainsRat(q[i])
			}
			if !known {
				t.Errorf("%s: outcome %v", rel, o)
			}
		}
	}
}

// TestNonPrivateStaysNonPrivate: unless nothing is sampled at all.
func TestNonPrivateStaysNonPrivate(t *testing.T) {
	non := mechanism.NonPrivate{}
	with := mechanism.Composed{Events: []mechanism.Event{mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}, non}}
	poisson := func(q string, e mechanism.Event) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat(q), Event: e}
	}
	subset := func(n, m int64, e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: n, SampleSize: m, Event: e}
	}
	for _, c := range []struct {
		e       mechanism.Event
		rels    []mechanism.Relation
		private bool
	}{
		{poisson("1/1000000", non), relations, false},
		{poisson("1/1000000", with), relations, false},
		{poisson("1/2", mechanism.Composed{Events: []mechanism.Event{poisson("1/3", non), non}}), []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial}, false},
		{subset(9, 1, with), relations[1:2], false},
		{subset(9, 2, poisson("1/2", non)), relations[1:2], false},
		{subset(9, 2, subset(2, 1, non)), relations[1:2], false},
		{poisson("0", non), relations, true},
		{subset(9, 0, non), relations[1:2], true},
	} {
		for _, rel := range c.rels {
			p, err := Resolve(c.e, rel)
			if err != nil {
				t.Errorf("%s under %s: %v", mechanism.EncodeEvent(c.e), rel, err)
				continue
			}
			m, ok := pair.InfMass(p.Dominating())
			if !ok || (m.Cmp(ratOne) == 0) == c.private {
				t.Errorf("%s under %s has an infinite loss with probability %v", mechanism.EncodeEvent(c.e), rel, m)
			}
			if b, err := p.Profile(mechanism.Both); err != nil || !b.Attained {
				t.Errorf("%s under %s: %+v, %v", mechanism.EncodeEvent(c.e), rel, b, err)
			}
		}
	}
}

var relations = []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial}

// TestSamplesOfNothingHaveAMeaning: an event that is not defined under a relation is not
// made so by a rate or a size of 0.
func TestSamplesOfNothingHaveAMeaning(t *testing.T) {
	zero := rat("0")
	rr := mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2}
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	laplace := mechanism.Laplace{NoiseMultiplier: rat("1")}
	subset := func(e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 0, Event: e}
	}
	poisson := func(e mechanism.Event) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: zero, Event: e}
	}
	for _, c := range []struct {
		e   mechanism.Event
		bad [3]bool // under relations
	}{
		{poisson(gauss), [3]bool{}},
		{poisson(rr), [3]bool{true, false, false}},
		{poisson(laplace), [3]bool{false, true, false}},
		{subset(gauss), [3]bool{false, false, true}},
		{mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.SelfComposed{Event: poisson(mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: rr}), Count: 3}}}, [3]bool{true, false, false}},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.Composed{Events: []mechanism.Event{laplace, subset(laplace)}}}, [3]bool{true, true, true}},
		{mechanism.Composed{}, [3]bool{}},
		{poisson(mechanism.Composed{}), [3]bool{}},
	} {
		for i, rel := range relations {
			_, err := Resolve(c.e, rel)
			var undefined *RelationError
			if errors.As(err, &undefined) != c.bad[i] || (err != nil) != c.bad[i] {
				t.Errorf("%s under %s: %v", mechanism.EncodeEvent(c.e), rel, err)
			}
		}
	}
}

// TestErrorsNameTheirPath: whole, wherever the event that is wrong stands.
func TestErrorsNameTheirPath(t *testing.T) {
	sample := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: mechanism.Gaussian{NoiseMultiplier: rat("1")}}
	large := mechanism.Group{Event: sample, Size: 100}
	for want, e := range map[string]mechanism.Event{
		"mechanism: event.event: GroupEvent: size = 100, ":           large,
		"mechanism: event.events[0].event: GroupEvent: size = 100, ": mechanism.Composed{Events: []mechanism.Event{large}},
	} {
		if _, err := Resolve(e, mechanism.AddOrRemoveOne); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestUnknownRelations: no event has a meaning under one.
func TestUnknownRelations(t *testing.T) {
	for _, e := range []mechanism.Event{mechanism.NoOp{}, mechanism.Gaussian{NoiseMultiplier: rat("1")}, mechanism.FinitePair{P: rats("1"), Q: rats("1")}} {
		for _, rel := range []mechanism.Relation{-1, 3} {
			var p *mechanism.ParamError
			if _, err := Resolve(e, rel); !errors.As(err, &p) || p.Field != "relation" {
				t.Errorf("%s under %s: %v", mechanism.EncodeEvent(e), rel, err)
			}
		}
	}
}

// TestRelationsWithoutARule: what depends on the relation is an error under one that nobody has
// thought of, not what it is under another.
func TestRelationsWithoutARule(t *testing.T) {
	const unknown = mechanism.Relation(99)
	if _, err := newResolver(unknown); err == nil {
		t.Error("a relation without a rule has a sensitivity")
	}
	half := rat("1/2")
	pure := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}
	for _, e := range []mechanism.Event{
		mechanism.RandomizedResponse{NoiseParameter: half, NumBuckets: 2},
		mechanism.PoissonSampled{SamplingProbability: half, Event: pure},
		mechanism.SampledWithoutReplacement{SourceDatasetSize: 4, SampleSize: 2, Event: pure},
		mechanism.MixtureOfGaussians{StandardDeviation: rat("1"), Sensitivities: rats("0", "1"), SamplingProbs: rats("1/2", "1/2")},
	} {
		r := &resolver{rel: unknown, sensitivity: 1}
		if _, err := r.factor(e, "event"); err == nil || !strings.Contains(err.Error(), "relation") {
			t.Errorf("%s: %v", e.ClassName(), err)
		}
	}
}
