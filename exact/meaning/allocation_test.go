// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"errors"
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestReplacedAllocation: what a random allocation of two records that replace each other is, and what is refused.
func TestReplacedAllocation(t *testing.T) {
	two := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	rounds := mechanism.SelfComposed{Event: two, Count: 4}
	of := func(e mechanism.Event, selected, steps int64) mechanism.RandomAllocation {
		return mechanism.RandomAllocation{Event: e, NumSelected: selected, NumSteps: steps}
	}
	for _, c := range []struct {
		e     mechanism.Event
		above string
		below int
	}{
		{of(two, 1, 3), "(OppositeAllocation(1 of 3, μ²=1/4))", 0},
		{of(rounds, 1, 5), "(OppositeAllocation(1 of 5, μ²=1))", 0},
		{of(two, 3, 3), "(Gaussian(μ²=1)^3)", 0},
		{of(two, 2, 5), "(OppositeAllocation(1 of 2, μ²=1/4) × OppositeAllocation(1 of 3, μ²=1/4))", 1},
		{of(two, 2, 3), "", 1},
	} {
		p, err := Resolve(c.e, mechanism.ReplaceOne)
		if err != nil {
			t.Errorf("%v: %v", c.e, err)
			continue
		}
		b, err := p.Profile(mechanism.Both)
		if err != nil || c.above != "" && p.Dominating().String() != c.above || c.below > 0 && len(b.Lower) == 0 {
			t.Errorf("%s: %s, %d below, %v; want %s, %d", mechanism.EncodeEvent(c.e), p.Dominating(), len(b.Lower), err, c.above, c.below)
		}
	}
	var refused *RelationError
	for _, e := range []mechanism.Event{
		of(mechanism.Laplace{NoiseMultiplier: rat("2")}, 1, 3),
		of(mechanism.Composed{Events: []mechanism.Event{two, mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")}}}, 1, 3),
		mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: of(two, 1, 3)},
		mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: of(two, 1, 3)},
		mechanism.Group{Size: 2, Event: of(two, 1, 3)},
	} {
		if _, err := Resolve(e, mechanism.ReplaceOne); !errors.As(err, &refused) {
			t.Errorf("%s: %v", mechanism.EncodeEvent(e), err)
		}
	}
	best := mechanism.RepeatAndSelect{Event: of(two, 1, 3), Mean: rat("10"), Shape: rat("1")}
	for _, e := range []mechanism.Event{of(two, 1, 3), best, mechanism.SelfComposed{Event: best, Count: 2}} {
		sample := mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: e}
		for _, rel := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne} {
			if _, err := Resolve(sample, rel); !errors.As(err, &refused) {
				t.Errorf("a sample of replaced records, %s under %s: %v", mechanism.EncodeEvent(e), rel, err)
			}
		}
	}
}

// TestSampleOfShuffledReports: where a sample without replacement has no report of the record it has one more of the
// others, so that these have the input that replaces the record's.
func TestSampleOfShuffledReports(t *testing.T) {
	for _, local := range []mechanism.Event{
		mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("0")},
		mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 3},
		mechanism.LocalRandomizer{Table: [][]*big.Rat{{rat("1/2"), rat("1/4"), rat("1/4")},
			{rat("1/4"), rat("1/2"), rat("1/4")}, {rat("1/4"), rat("1/4"), rat("1/2")}}},
	} {
		p, err := Resolve(mechanism.SampledWithoutReplacement{SourceDatasetSize: 9, SampleSize: 3,
			Event: mechanism.Shuffled{Reports: 3, Event: local}}, mechanism.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Profile(mechanism.Both)
		if err != nil || len(b.Lower) == 0 || b.Attained {
			t.Fatalf("%s: %v, %v", mechanism.EncodeEvent(local), b, err)
		}
		for _, below := range b.Lower {
			sample, ok := pair.Single[pair.Sampled](below)
			if !ok || len(sample.Base) != 1 {
				t.Fatalf("%s: %s", mechanism.EncodeEvent(local), below)
			}
			if _, ok := sample.Base[0].Pair.(pair.Reported); !ok {
				t.Errorf("%s: %s from below, of others with an input of their own", mechanism.EncodeEvent(local), below)
			}
		}
	}
}

// TestSamplesOfTheBestOfSamples: the best of several runs of a Poisson sample is a sample of records, too.
func TestSamplesOfTheBestOfSamples(t *testing.T) {
	noise := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	poisson := mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: noise}
	best := mechanism.RepeatAndSelect{Event: poisson, Mean: rat("10"), Shape: rat("1")}
	sample := mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: best}
	var refused *RelationError
	if _, err := Resolve(sample, mechanism.AddOrRemoveOne); !errors.As(err, &refused) {
		t.Errorf("from a record less: %v", err)
	}
	p, err := Resolve(sample, mechanism.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Profile(mechanism.Both)
	for _, below := range b.Lower {
		if len(below) > 0 {
			t.Errorf("%s from below, which nothing proves", below)
		}
	}
	if err != nil || b.Attained {
		t.Errorf("attained: %v, %v", b.Attained, err)
	}
}
