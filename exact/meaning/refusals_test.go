// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpverify/mechanism"
)

// TestSizesInsideSamples: an event that knows its number of records is run on a sample only if that
// has as many: with fewer others it is less private. PoissonSampled(3/10) of TruncatedSubsampledGaussian(6, 1, 1)
// attains δ(1/2) = 0.0347, and a sample of rate 3/10 of its pair has less than 0.0117. Nor are there
// samples with replacement of what a group sees, or of records that have their places. Nor of a Gaussian pair that is
// given outright, μ = 2: of 2 draws of 4 records what shows that the record is there has δ(0) = 7/16·0.6827 = 0.2987,
// and what shows all where it is there twice 3/8·0.6827 + 1/16 = 0.3185; noise on a sum has 0.309 or more, and at most
// 0.3157.
func TestSizesInsideSamples(t *testing.T) {
	half, one := rat("1/2"), rat("1")
	gauss := mechanism.Gaussian{NoiseMultiplier: one}
	outright := mechanism.GaussianPair{SigmaP: half, SigmaQ: half, Shift: one}
	truncated := mechanism.TruncatedSubsampledGaussian{DatasetSize: 6, SamplingProbability: half, TruncatedBatchSize: 1, NoiseMultiplier: one}
	drawn := func(n int64, e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithReplacement{SourceDatasetSize: n, SampleSize: 2, Event: e}
	}
	subset := func(size int64, e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: 20, SampleSize: size, Event: e}
	}
	poisson := func(e mechanism.Event) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: half, Event: e}
	}
	for _, c := range []struct {
		e    mechanism.Event
		rel  mechanism.Relation
		want string
	}{
		{poisson(truncated), mechanism.AddOrRemoveOne, "the number of records in it is not fixed"},
		{poisson(mechanism.SelfComposed{Event: truncated, Count: 2}), mechanism.ReplaceSpecial, "the number of records in it is not fixed"},
		{poisson(drawn(6, gauss)), mechanism.ReplaceSpecial, "the number of records in it is not fixed"},
		{mechanism.RandomAllocation{Event: truncated, NumSelected: 1, NumSteps: 3}, mechanism.AddOrRemoveOne, "the number of records in it is not fixed"},
		{subset(5, truncated), mechanism.ReplaceOne, "dataset_size = 6, want 5"},
		{subset(5, drawn(6, gauss)), mechanism.ReplaceOne, "source_dataset_size = 6, want 5"},
		{drawn(6, mechanism.SingleEpochTreeAggregation{NoiseMultiplier: one, StepCounts: []int64{2}}), mechanism.ReplaceSpecial, "has its place"},
		{drawn(6, mechanism.Group{Event: gauss, Size: 2}), mechanism.ReplaceSpecial, "what a group sees"},
		{drawn(6, mechanism.PermuteAndFlip{Epsilon: one}), mechanism.ReplaceOne, "is proved for Gaussian and for Laplace noise"},
		{drawn(4, outright), mechanism.ReplaceOne, "is proved for Gaussian and for Laplace noise"},
		{drawn(1, mechanism.Composed{Events: []mechanism.Event{gauss, outright}}), mechanism.ReplaceSpecial, "is proved for Gaussian and for Laplace noise"},
	} {
		if p, err := Resolve(c.e, c.rel); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s under %s: %v, %v, want an error with %q", mechanism.EncodeEvent(c.e), c.rel, p, err, c.want)
		}
	}
	for _, e := range []mechanism.Event{truncated, drawn(6, gauss), poisson(gauss)} {
		if _, err := Resolve(e, mechanism.ReplaceSpecial); err != nil {
			t.Errorf("%s: %v", mechanism.EncodeEvent(e), err)
		}
	}
	if _, err := Resolve(subset(6, truncated), mechanism.ReplaceOne); err != nil {
		t.Error(err)
	}
}

// TestRefusalsOfParts: what is not defined for a part is not defined for the whole, and the
// error names the part.
func TestRefusalsOfParts(t *testing.T) {
	half := rat("1/2")
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	subset := mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: gauss}
	mixture := mechanism.MixtureOfGaussians{StandardDeviation: rat("1"), Sensitivities: rats("0", "1"), SamplingProbs: rats("1/2", "1/2")}
	for _, c := range []struct {
		e    mechanism.Event
		rel  mechanism.Relation
		want string
	}{
		{mechanism.PoissonSampled{SamplingProbability: half, Event: subset}, mechanism.AddOrRemoveOne, "a sample for a sample of a fixed size"},
		{mechanism.PoissonSampled{SamplingProbability: half, Event: subset}, mechanism.ReplaceSpecial, "event.event: "},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: mixture}, mechanism.ReplaceOne, "event.event: "},
		{mechanism.PoissonSampled{SamplingProbability: half, Event: mechanism.Laplace{NoiseMultiplier: rat("1")}}, mechanism.ReplaceOne, "is not defined"},
		{mechanism.Composed{Events: []mechanism.Event{gauss, mixture}}, mechanism.ReplaceOne, "event.events[1]: "},
	} {
		p, err := Resolve(c.e, c.rel)
		var e *RelationError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.rel.String()) || len(p.Dominating()) > 0 {
			t.Errorf("%s under %s: %v, %v, want an error with %q", mechanism.EncodeEvent(c.e), c.rel, p.Dominating(), err, c.want)
		}
	}
	// A sample of nothing has a meaning if a sample of something has, whatever the sizes are.
	subsetOf := func(source, size int64, e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: source, SampleSize: size, Event: e}
	}
	for _, e := range []mechanism.Event{
		subsetOf(4, 0, gauss),
		subsetOf(3, 0, subsetOf(19, 19, gauss)),
		subsetOf(4, 0, mechanism.Composed{Events: []mechanism.Event{subsetOf(3, 3, gauss), subsetOf(5, 5, gauss)}}),
		mechanism.Composed{Events: []mechanism.Event{gauss, mechanism.SelfComposed{Event: subsetOf(3, 0, gauss), Count: mechanism.MaxCount}}},
	} {
		if _, err := Resolve(e, mechanism.AddOrRemoveOne); err != nil {
			t.Errorf("%s: %v", mechanism.EncodeEvent(e), err)
		}
		for _, rel := range []mechanism.Relation{mechanism.ReplaceSpecial} {
			var undefined *RelationError
			if _, err := Resolve(e, rel); !errors.As(err, &undefined) {
				t.Errorf("%s under %s: %v, want an error", mechanism.EncodeEvent(e), rel, err)
			}
		}
		if p, err := Resolve(e, mechanism.ReplaceOne); err != nil {
			t.Errorf("%s: %v, %v", mechanism.EncodeEvent(e), p, err)
		}
	}
	// A sample of a sample is not self-dual.
	for _, e := range []mechanism.Event{subsetOf(21, 0, subsetOf(20, 12, gauss)), subsetOf(2, 1, subsetOf(1, 0, gauss)), subsetOf(2, 0, subsetOf(2, 1, gauss))} {
		var undefined *RelationError
		if _, err := Resolve(e, mechanism.ReplaceOne); !errors.As(err, &undefined) || !strings.Contains(err.Error(), "self-dual") {
			t.Errorf("%s: %v, want an error", mechanism.EncodeEvent(e), err)
		}
	}
	if _, err := Resolve(mechanism.PoissonSampled{SamplingProbability: half, Event: mechanism.NoOp{}}, mechanism.ReplaceOne); err != nil {
		t.Errorf("a sample of nothing: %v", err)
	}
}

// TestDirectionsOfReplacedRecords: under REPLACE_ONE, an orientation of a product whose
// factors are not self-dual has no meaning.
func TestDirectionsOfReplacedRecords(t *testing.T) {
	f := mechanism.FinitePair{P: rats("1/6", "1/6", "2/3"), Q: rats("5/11", "1/2", "1/22")}
	p, err := Resolve(mechanism.SelfComposed{Event: f, Count: 2}, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []mechanism.Direction{mechanism.Remove, mechanism.Add} {
		b, err := p.Profile(d)
		var e *DirectionError
		if !errors.As(err, &e) || b.Upper != nil || !strings.Contains(err.Error(), "direction = "+d.String()) || !strings.Contains(err.Error(), "self-dual") {
			t.Errorf("%s: %v, %v", d, b, err)
		}
	}
	if b, err := p.Profile(mechanism.Both); err != nil || len(b.Upper) == 0 {
		t.Errorf("both: %v, %v", b, err)
	}
}

// TestNotesAreNotRepeated: an assumption that two factors rest on is noted once.
func TestNotesAreNotRepeated(t *testing.T) {
	sample := func(eps string) mechanism.Event {
		inside := mechanism.EpsilonDelta{Epsilon: rat(eps), Delta: new(big.Rat)}
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: 9, SampleSize: 3, Event: inside}
	}
	p, err := Resolve(mechanism.Composed{Events: []mechanism.Event{sample("1"), sample("2")}}, mechanism.AddOrRemoveOne)
	if err != nil || len(p.Dominating()) != 2 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "replacing a record") {
		t.Errorf("%v, notes %q, %v", p.Dominating(), p.Notes, err)
	}
}

// TestSubsetSaysWhichRelation: of data that have a record more or less, a sample without replacement has a record
// replaced. What states the relation itself, a guarantee for instance, is then about another relation than was asked,
// and a note says so.
func TestSubsetSaysWhichRelation(t *testing.T) {
	subset := func(e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: 20, SampleSize: 2, Event: e}
	}
	pure := mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}
	gauss := mechanism.Gaussian{NoiseMultiplier: rat("1")}
	for _, c := range []struct {
		event mechanism.Event
		rel   mechanism.Relation
		notes int
	}{
		{subset(pure), mechanism.AddOrRemoveOne, 1},
		{subset(mechanism.Composed{Events: []mechanism.Event{gauss, pure, pure}}), mechanism.AddOrRemoveOne, 1},
		{subset(mechanism.ExponentialMechanism{Epsilon: rat("1")}), mechanism.AddOrRemoveOne, 1},
		{subset(gauss), mechanism.AddOrRemoveOne, 0},
		{subset(pure), mechanism.ReplaceOne, 0},
		{pure, mechanism.AddOrRemoveOne, 0},
	} {
		p, err := Resolve(c.event, c.rel)
		if err != nil || len(p.Notes) != c.notes {
			t.Errorf("%s under %v: notes %q, %v, want %d", mechanism.EncodeEvent(c.event), c.rel, p.Notes, err, c.notes)
		}
	}
}
