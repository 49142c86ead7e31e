package mechanism

import (
	"errors"
	"math/big"
	"strings"
	"testing"
)

// TestSampleSome: samples of nothing are found at any depth, and nothing else changes.
func TestSampleSome(t *testing.T) {
	g := Gaussian{big.NewRat(1, 1)}
	for _, c := range []struct {
		e, want Event
		changed bool
	}{
		{g, g, false},
		{PoissonSampled{new(big.Rat), g}, PoissonSampled{big.NewRat(1, 2), g}, true},
		{PoissonSampled{big.NewRat(1, 3), g}, PoissonSampled{big.NewRat(1, 3), g}, false},
		{SampledWithoutReplacement{9, 0, g}, SampledWithoutReplacement{9, 1, g}, true},
		{SampledWithoutReplacement{2, 0, SampledWithoutReplacement{3, 2, g}}, SampledWithoutReplacement{2, 1, SampledWithoutReplacement{1, 1, g}}, true},
		// Sizes inside a sample of nothing fit, too, also those of two samples.
		{SampledWithoutReplacement{2, 1, SampledWithoutReplacement{1, 0, SampledWithoutReplacement{19, 4, g}}},
			SampledWithoutReplacement{2, 1, SampledWithoutReplacement{1, 1, SampledWithoutReplacement{1, 1, g}}}, true},
		{SampledWithoutReplacement{9, 0, Composed{[]Event{SampledWithoutReplacement{3, 0, g}, SampledWithoutReplacement{4, 2, g}}}},
			SampledWithoutReplacement{9, 1, Composed{[]Event{SampledWithoutReplacement{1, 1, g}, SampledWithoutReplacement{1, 1, g}}}}, true},
		{SampledWithoutReplacement{9, 0, PoissonSampled{big.NewRat(1, 3), SampledWithoutReplacement{3, 2, g}}},
			SampledWithoutReplacement{9, 1, PoissonSampled{big.NewRat(1, 3), SampledWithoutReplacement{3, 2, g}}}, true},
		{Composed{[]Event{g, SelfComposed{SampledWithoutReplacement{9, 3, PoissonSampled{new(big.Rat), g}}, MaxCount}}},
			Composed{[]Event{g, SelfComposed{SampledWithoutReplacement{9, 3, PoissonSampled{big.NewRat(1, 2), g}}, 2}}}, true},
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
