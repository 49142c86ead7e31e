// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpverify/mechanism"
)

// TestSampleSome: samples of nothing are found at any depth.
func TestSampleSome(t *testing.T) {
	const n = mechanism.MaxCount
	g := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	truncated := func(records int64) mechanism.Event {
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: records, SamplingProbability: big.NewRat(1, 2), TruncatedBatchSize: 1, NoiseMultiplier: big.NewRat(1, 1)}
	}
	shuffled := func(reports int64) mechanism.Event {
		return mechanism.Shuffled{Reports: reports, Event: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1), Delta: new(big.Rat)}}
	}
	subset := func(source, size int64, e mechanism.Event) mechanism.Event {
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: source, SampleSize: size, Event: e}
	}
	for _, c := range []struct {
		e, want mechanism.Event
		changed bool
	}{
		{g, g, false},
		{mechanism.PoissonSampled{SamplingProbability: new(big.Rat), Event: g}, mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: g}, true},
		{mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 3), Event: g}, mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 3), Event: g}, false},
		{subset(9, 0, g), subset(n, n-1, g), true},
		{subset(2, 0, subset(3, 2, g)), subset(n, n-1, subset(n-1, n-2, g)), true},
		{subset(2, 0, subset(3, 3, g)), subset(n, n-1, subset(n-1, n-1, g)), true},
		// Sizes inside a sample of nothing fit, also the sizes of two samples.
		{subset(2, 1, subset(1, 0, subset(19, 4, g))), subset(n, n-1, subset(n-1, n-2, subset(n-2, n-3, g))), true},
		{subset(9, 0, mechanism.Composed{Events: []mechanism.Event{subset(3, 0, g), subset(4, 2, g)}}),
			subset(n, n-1, mechanism.Composed{Events: []mechanism.Event{subset(n-1, n-2, g), subset(n-1, n-2, g)}}), true},
		{subset(9, 0, mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 3), Event: subset(3, 2, g)}), subset(n, n-1, mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 3), Event: subset(n, n-1, g)}), true},
		// So do the records that an event states.
		{subset(9, 0, truncated(4)), subset(n, n-1, truncated(n-1)), true},
		{subset(9, 0, shuffled(4)), subset(n, n-1, shuffled(n-1)), true},
		{truncated(4), truncated(4), false},
		{shuffled(4), shuffled(4), false},
		{mechanism.Composed{Events: []mechanism.Event{g, mechanism.SelfComposed{Event: subset(9, 3, mechanism.PoissonSampled{SamplingProbability: new(big.Rat), Event: g}), Count: mechanism.MaxCount}}},
			mechanism.Composed{Events: []mechanism.Event{g, mechanism.SelfComposed{Event: subset(n, n-1, mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: g}), Count: 2}}}, true},
	} {
		got, changed := SampleSome(c.e)
		if changed != c.changed || string(mechanism.EncodeEvent(got)) != string(mechanism.EncodeEvent(c.want)) {
			t.Errorf("%s becomes %s, %t", mechanism.EncodeEvent(c.e), mechanism.EncodeEvent(got), changed)
		}
		if _, err := Factors(got); err != nil {
			t.Errorf("%s: %v", mechanism.EncodeEvent(got), err)
		}
	}
}

// TestNestedSizes: a sample without replacement of a sample of m records has m records to
// draw from.
func TestNestedSizes(t *testing.T) {
	g := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	half := big.NewRat(1, 2)
	for _, c := range []struct {
		e    mechanism.Event
		want string // of the error
	}{
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 100, SampleSize: 10, Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 5, Event: g}}, ""},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 100, SampleSize: 10, Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 5, Event: g}}, "event.event: SampledWithoutReplacementDpEvent: source_dataset_size = 5, want 10"},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 100, SampleSize: 10, Event: mechanism.Composed{Events: []mechanism.Event{g, mechanism.SelfComposed{Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 2, Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 3, SampleSize: 1, Event: g}}, Count: 2}}}},
			"event.event.events[1].event.event: SampledWithoutReplacementDpEvent: source_dataset_size = 3, want 2"},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 100, SampleSize: 10, Event: mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 1), Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 0, Event: g}}}, "source_dataset_size = 5, want 10"},
		{mechanism.SampledWithoutReplacement{SourceDatasetSize: 100, SampleSize: 10, Event: mechanism.PoissonSampled{SamplingProbability: half, Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 1, Event: g}}}, ""},
		{mechanism.Composed{Events: []mechanism.Event{mechanism.SampledWithoutReplacement{SourceDatasetSize: 100, SampleSize: 10, Event: g}, mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 1, Event: g}}}, ""},
	} {
		_, err := Factors(c.e)
		var p *mechanism.ParamError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", mechanism.EncodeEvent(c.e), err)
		case c.want != "" && (!errors.As(err, &p) || !strings.Contains(strings.TrimPrefix(err.Error(), "mechanism: "), strings.TrimPrefix(c.want, "event."))):
			t.Errorf("%s: %v, want %q", mechanism.EncodeEvent(c.e), err, c.want)
		}
	}
}
