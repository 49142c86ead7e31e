// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

// TestSampleSome: samples of nothing are found at any depth.
func TestSampleSome(t *testing.T) {
	const n = MaxCount
	g := Gaussian{big.NewRat(1, 1)}
	subset := func(source, size int64, e Event) Event { return SampledWithoutReplacement{source, size, e} }
	for _, c := range []struct {
		e, want Event
		changed bool
	}{
		{g, g, false},
		{PoissonSampled{new(big.Rat), g}, PoissonSampled{big.NewRat(1, 2), g}, true},
		{PoissonSampled{big.NewRat(1, 3), g}, PoissonSampled{big.NewRat(1, 3), g}, false},
		{subset(9, 0, g), subset(n, n-1, g), true},
		{subset(2, 0, subset(3, 2, g)), subset(n, n-1, subset(n-1, n-2, g)), true},
		{subset(2, 0, subset(3, 3, g)), subset(n, n-1, subset(n-1, n-1, g)), true},
		// Sizes inside a sample of nothing fit, also those of two samples.
		{subset(2, 1, subset(1, 0, subset(19, 4, g))), subset(n, n-1, subset(n-1, n-2, subset(n-2, n-3, g))), true},
		{subset(9, 0, Composed{[]Event{subset(3, 0, g), subset(4, 2, g)}}),
			subset(n, n-1, Composed{[]Event{subset(n-1, n-2, g), subset(n-1, n-2, g)}}), true},
		{subset(9, 0, PoissonSampled{big.NewRat(1, 3), subset(3, 2, g)}), subset(n, n-1, PoissonSampled{big.NewRat(1, 3), subset(n, n-1, g)}), true},
		{Composed{[]Event{g, SelfComposed{subset(9, 3, PoissonSampled{new(big.Rat), g}), MaxCount}}},
			Composed{[]Event{g, SelfComposed{subset(n, n-1, PoissonSampled{big.NewRat(1, 2), g}), 2}}}, true},
	} {
		got, changed := SampleSome(c.e)
		if changed != c.changed || string(EncodeEvent(got)) != string(EncodeEvent(c.want)) {
			t.Errorf("%s becomes %s, %t", EncodeEvent(c.e), EncodeEvent(got), changed)
		}
		if _, err := Factors(got); err != nil {
			t.Errorf("%s: %v", EncodeEvent(got), err)
		}
	}
}

// TestNestedSizes: a sample without replacement of a sample of m records has m records to
// draw from.
func TestNestedSizes(t *testing.T) {
	g := Gaussian{big.NewRat(1, 1)}
	half := big.NewRat(1, 2)
	for _, c := range []struct {
		e    Event
		want string // of the error
	}{
		{SampledWithoutReplacement{100, 10, SampledWithoutReplacement{10, 5, g}}, ""},
		{SampledWithoutReplacement{100, 10, SampledWithoutReplacement{5, 5, g}}, "event.event: SampledWithoutReplacementDpEvent: source_dataset_size = 5, want 10"},
		{SampledWithoutReplacement{100, 10, Composed{[]Event{g, SelfComposed{SampledWithoutReplacement{10, 2, SampledWithoutReplacement{3, 1, g}}, 2}}}},
			"event.event.events[1].event.event: SampledWithoutReplacementDpEvent: source_dataset_size = 3, want 2"},
		{SampledWithoutReplacement{100, 10, PoissonSampled{big.NewRat(1, 1), SampledWithoutReplacement{5, 0, g}}}, "source_dataset_size = 5, want 10"},
		{SampledWithoutReplacement{100, 10, PoissonSampled{half, SampledWithoutReplacement{5, 1, g}}}, ""},
		{Composed{[]Event{SampledWithoutReplacement{100, 10, g}, SampledWithoutReplacement{5, 1, g}}}, ""},
	} {
		_, err := Factors(c.e)
		var p *ParamError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", EncodeEvent(c.e), err)
		case c.want != "" && (!errors.As(err, &p) || !strings.Contains(strings.TrimPrefix(err.Error(), "mechanism: "), strings.TrimPrefix(c.want, "event."))):
			t.Errorf("%s: %v, want %q", EncodeEvent(c.e), err, c.want)
		}
	}
}
