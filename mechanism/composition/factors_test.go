// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/internal/testkit/events"
	"dpverify/mechanism"

	"github.com/google/go-cmp/cmp"
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"
)

// compareRats makes cmp compare numbers by value.
var compareRats = cmp.Comparer(func(a, b *big.Rat) bool {
	return a == b || a != nil && b != nil && a.Cmp(b) == 0
})

func checkErrorText(t *testing.T, err error, want string) {
	t.Helper()
	if want = "mechanism: " + want; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFactors(t *testing.T) {
	g, g2, l := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}, mechanism.Gaussian{NoiseMultiplier: big.NewRat(2, 1)}, mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}
	q := func(n, d int64, e mechanism.Event) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: big.NewRat(n, d), Event: e}
	}
	p := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}
	tests := []struct {
		name string
		e    mechanism.Event
		want []Factor
	}{
		{"basic", g, []Factor{{g, 1, "event"}}},
		{"no-op", mechanism.SelfComposed{Event: mechanism.Composed{Events: []mechanism.Event{mechanism.NoOp{}, mechanism.Composed{}}}, Count: 5}, []Factor{}},
		{"counts multiply", mechanism.SelfComposed{Event: mechanism.SelfComposed{Event: g, Count: 3}, Count: 5}, []Factor{{g, 15, "event.event.event"}}},
		{"equal factors merge", mechanism.Composed{Events: []mechanism.Event{l, mechanism.SelfComposed{Event: g, Count: 3}, mechanism.NoOp{}, mechanism.Gaussian{NoiseMultiplier: big.NewRat(3, 3)}, l}},
			[]Factor{{l, 2, "event.events[0]"}, {g, 4, "event.events[1].event"}}},
		{"non-private stays", mechanism.Composed{Events: []mechanism.Event{g, mechanism.NonPrivate{}}}, []Factor{{g, 1, "event.events[0]"}, {mechanism.NonPrivate{}, 1, "event.events[1]"}}},
		{"everything is sampled", mechanism.SelfComposed{Event: q(1, 1, mechanism.Composed{Events: []mechanism.Event{g, l}}), Count: 2}, []Factor{{g, 2, "event.event.event.events[0]"}, {l, 2, "event.event.event.events[1]"}}},
		{"nothing is sampled", mechanism.Composed{Events: []mechanism.Event{q(0, 1, mechanism.NonPrivate{}), mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 0, Event: mechanism.NonPrivate{}}, g}}, []Factor{{g, 1, "event.events[2]"}}},
		{"a no-op is sampled", mechanism.Composed{Events: []mechanism.Event{q(1, 2, mechanism.Composed{Events: []mechanism.Event{mechanism.NoOp{}}}), mechanism.SampledWithoutReplacement{SourceDatasetSize: 5, SampleSize: 1, Event: mechanism.NoOp{}}, g}}, []Factor{{g, 1, "event.events[2]"}}},
		{"sampled twice", q(1, 2, q(1, 3, q(1, 5, g))), []Factor{{q(1, 30, g), 1, "event"}}},
		{"sampled twice, in disguise", mechanism.Composed{Events: []mechanism.Event{q(1, 6, g), q(1, 2, mechanism.Composed{Events: []mechanism.Event{mechanism.NoOp{}, mechanism.SelfComposed{Event: q(1, 3, g), Count: 1}}})}}, []Factor{{q(1, 6, g), 2, "event.events[0]"}}},
		{"two samples inside one", q(1, 2, mechanism.SelfComposed{Event: q(1, 3, g), Count: 2}), []Factor{{q(1, 2, mechanism.SelfComposed{Event: q(1, 3, g), Count: 2}), 1, "event"}}},
		{"what is sampled is flattened", mechanism.Composed{Events: []mechanism.Event{q(1, 2, mechanism.Composed{Events: []mechanism.Event{g, mechanism.SelfComposed{Event: mechanism.Composed{Events: []mechanism.Event{l, g}}, Count: 2}}}), q(1, 2, mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: g, Count: 3}, l, l}})}},
			[]Factor{{q(1, 2, mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: g, Count: 3}, mechanism.SelfComposed{Event: l, Count: 2}}}), 2, "event.events[0]"}}},
		{"different rates", mechanism.Composed{Events: []mechanism.Event{q(1, 2, g), q(1, 3, g), q(1, 2, g2)}},
			[]Factor{{q(1, 2, g), 1, "event.events[0]"}, {q(1, 3, g), 1, "event.events[1]"}, {q(1, 2, g2), 1, "event.events[2]"}}},
		{"without replacement", mechanism.SelfComposed{Event: mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 5, Event: mechanism.SelfComposed{Event: mechanism.SelfComposed{Event: g, Count: 2}, Count: 2}}, Count: 3},
			[]Factor{{mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 5, Event: mechanism.SelfComposed{Event: g, Count: 4}}, 3, "event.event"}}},
		{"without replacement is no rate", mechanism.Composed{Events: []mechanism.Event{mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 5, Event: g}, mechanism.SampledWithoutReplacement{SourceDatasetSize: 2, SampleSize: 1, Event: g}, q(1, 2, g)}},
			[]Factor{{mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 5, Event: g}, 1, "event.events[0]"}, {mechanism.SampledWithoutReplacement{SourceDatasetSize: 2, SampleSize: 1, Event: g}, 1, "event.events[1]"}, {q(1, 2, g), 1, "event.events[2]"}}},
		{"huge counts of nothing", mechanism.SelfComposed{Event: mechanism.SelfComposed{Event: mechanism.NoOp{}, Count: mechanism.MaxCount}, Count: mechanism.MaxCount}, []Factor{}},
		{"largest count", mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: g, Count: mechanism.MaxCount - 1}, g}}, []Factor{{g, mechanism.MaxCount, "event.events[0].event"}}},
		{"histograms by contents", mechanism.Composed{Events: []mechanism.Event{mechanism.HistogramPair{PathP: "a", PathQ: "b", P: p, Q: p}, mechanism.HistogramPair{PathP: "c", PathQ: "d", P: p, Q: p}, mechanism.HistogramPair{PathP: "a", PathQ: "b", P: p, Q: []*big.Rat{one, new(big.Rat)}}}},
			[]Factor{{mechanism.HistogramPair{PathP: "a", PathQ: "b", P: p, Q: p}, 2, "event.events[0]"}, {mechanism.HistogramPair{PathP: "a", PathQ: "b", P: p, Q: []*big.Rat{one, new(big.Rat)}}, 1, "event.events[2]"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Factors(test.e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, compareRats); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFactorsErrors(t *testing.T) {
	g := mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	tests := []struct {
		name string
		e    mechanism.Event
		want string
	}{
		{"product", mechanism.SelfComposed{Event: mechanism.SelfComposed{Event: g, Count: mechanism.MaxCount}, Count: mechanism.MaxCount}, "event.event.event: GaussianDpEvent: number of factors up to here = more than 1000000000000, want at most 1000000000000"},
		{"sum", mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: g, Count: mechanism.MaxCount}, mechanism.Laplace{NoiseMultiplier: one}}}, "event.events[1]: LaplaceDpEvent: number of factors up to here = more than 1000000000000, want at most 1000000000000"},
		{"inside a sample", mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, 2), Event: mechanism.SelfComposed{Event: mechanism.SelfComposed{Event: g, Count: 1e6}, Count: 1e7}}, "event.event.event.event: GaussianDpEvent: number of factors up to here = more than 1000000000000, want at most 1000000000000"},
		{"nil", mechanism.Composed{Events: []mechanism.Event{nil}}, "event.events[0]: event = <nil>, want an event of package mechanism, by value"},
		{"pointer", &g, "event = *mechanism.Gaussian, want an event of package mechanism, by value"},
		{"count", mechanism.SelfComposed{Event: g, Count: 0}, "SelfComposedDpEvent: count = 0, want an integer in [1, 1000000000000]"},
		{"rate", mechanism.PoissonSampled{SamplingProbability: big.NewRat(3, 2), Event: g}, "PoissonSampledDpEvent: sampling_probability = 1.5, want in [0, 1]"},
		{"no rate", mechanism.PoissonSampled{SamplingProbability: nil, Event: g}, "PoissonSampledDpEvent: sampling_probability = null, want a number in [0, 1]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Factors(test.e)
			checkErrorText(t, err, test.want)
			var typed *mechanism.ParamError
			if !errors.As(err, &typed) {
				t.Errorf("%#v is not a *ParamError", err)
			}
		})
	}
}

// Every class is a basic event, a composition or a sample.
func TestFactorsKnowsEveryClass(t *testing.T) {
	rng := events.Rand(7)
	seen := map[string]bool{}
	for i := 0; len(seen) < len(mechanism.ClassNames()); i++ {
		if i == 100_000 {
			missing := slices.DeleteFunc(mechanism.ClassNames(), func(c string) bool { return seen[c] })
			t.Fatalf("internal/testkit/events/events.go draws no %v", missing)
		}
		e := events.Random(rng, 1)
		seen[e.ClassName()] = true
		if _, err := Factors(e); err != nil {
			t.Fatal(err)
		}
	}
}

// expand is the meaning of a composition, written out: the list of its factors
// as text, each as often as it occurs. It is slow and knows no numbers, no
// multisets and no order.
func expand(e mechanism.Event) []string {
	switch e := e.(type) {
	case mechanism.NoOp:
		return nil
	case mechanism.Maximum:
		if len(e.Events) == 1 {
			return expand(e.Events[0])
		}
		text := "Maximum"
		for _, child := range e.Events {
			all := expand(child)
			slices.Sort(all)
			text += fmt.Sprintf(" %q", all)
		}
		return []string{text}
	case mechanism.Mean:
		if len(e.Events) == 1 {
			return expand(e.Events[0])
		}
		text := "Mean"
		for i, child := range e.Events {
			all := expand(child)
			slices.Sort(all)
			text += fmt.Sprintf(" %s %q", e.Probabilities[i].RatString(), all)
		}
		return []string{text}
	case mechanism.SelfComposed:
		return slices.Repeat(expand(e.Event), int(e.Count))
	case mechanism.Composed:
		var all []string
		for _, child := range e.Events {
			all = append(all, expand(child)...)
		}
		return all
	case mechanism.Group:
		var all []string
		for _, text := range expand(e.Event) {
			size, rest := e.Size, text
			if n, inner, ok := strings.Cut(strings.TrimPrefix(text, "group "), " "); ok && strings.HasPrefix(text, "group ") {
				k, _ := strconv.ParseInt(n, 10, 64)
				size, rest = size*k, inner
			}
			if size > 1 {
				rest = fmt.Sprintf("group %d %s", size, rest)
			}
			all = append(all, rest)
		}
		return all
	case mechanism.PoissonSampled:
		return sampled(e.SamplingProbability, expand(e.Event))
	case mechanism.SampledWithoutReplacement:
		inner := expand(e.Event)
		if e.SampleSize == 0 || len(inner) == 0 {
			return nil
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("%d of %d {%s}", e.SampleSize, e.SourceDatasetSize, strings.Join(inner, ", "))}
	case mechanism.SampledWithReplacement:
		inner := expand(e.Event)
		if e.SampleSize == 0 || len(inner) == 0 {
			return nil
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("%d draws of %d {%s}", e.SampleSize, e.SourceDatasetSize, strings.Join(inner, ", "))}
	case mechanism.RepeatAndSelect:
		inner := expand(e.Event)
		switch {
		case e.Mean.Sign() == 0 || len(inner) == 0:
			return nil
		case e.Shape != nil && e.Mean.Cmp(one) == 0:
			return inner
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("best of %v %v {%s}", e.Mean, e.Shape, strings.Join(inner, ", "))}
	case mechanism.RandomAllocation:
		inner := expand(e.Event)
		switch {
		case e.NumSelected == 0 || len(inner) == 0:
			return nil
		case e.NumSelected == e.NumSteps:
			return slices.Repeat(inner, int(e.NumSteps))
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("in %d of %d {%s}", e.NumSelected, e.NumSteps, strings.Join(inner, ", "))}
	case mechanism.ShuffledBatches:
		inner := expand(e.Event)
		if e.Batches == 1 || len(inner) == 0 {
			return inner
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("in a batch of %d {%s}", e.Batches, strings.Join(inner, ", "))}
	}
	return []string{string(mechanism.EncodeEvent(e))}
}

func sampled(q *big.Rat, inner []string) []string {
	switch {
	case q.Sign() == 0 || len(inner) == 0:
		return nil
	case q.Cmp(one) == 0:
		return inner
	case len(inner) == 1 && strings.HasPrefix(inner[0], "rate "):
		rate, rest, _ := strings.Cut(strings.TrimPrefix(inner[0], "rate "), " ")
		r, _ := new(big.Rat).SetString(rate)
		return []string{"rate " + r.Mul(r, q).String() + " " + rest}
	}
	slices.Sort(inner)
	return []string{"rate " + q.String() + " {" + strings.Join(inner, ", ") + "}"}
}

func TestFactorsAreTheExpandedComposition(t *testing.T) {
	params := gopter.DefaultTestParametersWithSeed(8)
	params.MinSuccessfulTests = 3000
	properties := gopter.NewProperties(params)
	properties.Property("Factors is the composition written out", prop.ForAll(func(c events.Case) string {
		factors, err := Factors(c.Event)
		if err != nil {
			return err.Error()
		}
		var got []string
		seen := map[string]bool{}
		for _, f := range factors {
			texts := expand(f.Event)
			if len(texts) != 1 {
				return fmt.Sprintf("%s is no single factor", mechanism.EncodeEvent(f.Event))
			}
			if key := string(mechanism.EncodeEvent(f.Event)); seen[key] {
				return key + " was not merged"
			} else {
				seen[key] = true
			}
			got = append(got, slices.Repeat(texts, int(f.Count))...)
		}
		want := expand(c.Event)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return cmp.Diff(want, got)
		}
		return ""
	}, events.Gen()))
	properties.TestingRun(t)
}

// TestContentsOfFiles: events are equal that name other files of the same contents, and no others.
func TestContentsOfFiles(t *testing.T) {
	ps, other := []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 2), big.NewRat(1, 4)}, []*big.Rat{big.NewRat(1, 2), new(big.Rat), big.NewRat(1, 2)}
	noise := func(file string, ps []*big.Rat, cell int64) mechanism.Event {
		return mechanism.AdditiveNoise{File: file, Probabilities: ps, Cell: big.NewRat(cell, 1), Sensitivity: one, Kind: mechanism.Lattice}
	}
	matrix := func(s mechanism.Strategy) mechanism.Event {
		return mechanism.MatrixMechanism{Strategy: s, MinSeparation: 1, MaxParticipations: 1, NoiseMultiplier: one}
	}
	entries := func(row, column int64) []mechanism.Entry {
		return []mechanism.Entry{{Row: 0, Column: 0, Value: one}, {Row: row, Column: column, Value: one}}
	}
	for _, c := range []struct {
		events []mechanism.Event
		want   int
	}{
		{[]mechanism.Event{noise("a", ps, 1), noise("", ps, 1)}, 1},
		{[]mechanism.Event{noise("a", ps, 1), noise("a", other, 1)}, 2},
		{[]mechanism.Event{noise("a", ps, 1), noise("a", ps, 2)}, 2},
		{[]mechanism.Event{matrix(mechanism.Strategy{File: "a", Steps: 2, Entries: entries(1, 0)}), matrix(mechanism.Strategy{Steps: 2, Entries: entries(1, 0)})}, 1},
		{[]mechanism.Event{matrix(mechanism.Strategy{Steps: 2, Entries: entries(1, 0)}), matrix(mechanism.Strategy{Steps: 2, Entries: entries(1, 1)})}, 2},
		{[]mechanism.Event{matrix(mechanism.Strategy{Steps: 2, Entries: entries(1, 0)}), matrix(mechanism.Strategy{Steps: 3, Entries: entries(1, 0)})}, 2},
		{[]mechanism.Event{matrix(mechanism.Strategy{Steps: 2, Toeplitz: []*big.Rat{one}}), matrix(mechanism.Strategy{Steps: 2, Entries: entries(1, 0)[:1]})}, 2},
	} {
		fs, err := Factors(mechanism.Composed{Events: c.events})
		if err != nil || len(fs) != c.want {
			t.Errorf("%v: %d factors, %v, want %d", c.events, len(fs), err, c.want)
		}
	}
}

// The factors of a factor are itself: flattening is done when it is done.
func TestFactorsOfAFactor(t *testing.T) {
	rng := events.Rand(9)
	for range 2000 {
		factors, err := Factors(events.Random(rng, 4))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range factors {
			again, err := Factors(f.Event)
			if err != nil || len(again) != 1 || again[0].Count != 1 || !mechanism.Equal(again[0].Event, f.Event) {
				t.Fatalf("the factors of %s are %v, %v", mechanism.EncodeEvent(f.Event), again, err)
			}
		}
	}
}

// Work that doubles per level, or that follows the counts, never ends here.
func TestFactorsTakesLinearTime(t *testing.T) {
	testkit.SkipShort(t)
	var e mechanism.Event = mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}
	for i := range 60 {
		e = mechanism.PoissonSampled{SamplingProbability: big.NewRat(1, int64(i+2)), Event: mechanism.Composed{Events: []mechanism.Event{e, mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}}}}
	}
	n := testkit.Cases(20_000, 100_000)
	wide := make([]mechanism.Event, n)
	for i := range wide {
		wide[i] = mechanism.SelfComposed{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(int64(1+i%1000), 7)}, Count: 1_000_000}
	}
	factors, err := Factors(mechanism.Composed{Events: append(wide, e)})
	if err != nil {
		t.Fatal(err)
	}
	if len(factors) != 1001 || factors[0].Count != int64(n)*1000 {
		t.Errorf("%d factors, the first %d times", len(factors), factors[0].Count)
	}
}
