// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/prop"
)

func TestFactors(t *testing.T) {
	g, g2, l := Gaussian{big.NewRat(1, 1)}, Gaussian{big.NewRat(2, 1)}, Laplace{big.NewRat(1, 1)}
	q := func(n, d int64, e Event) Event { return PoissonSampled{big.NewRat(n, d), e} }
	p := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}
	tests := []struct {
		name string
		e    Event
		want []Factor
	}{
		{"basic", g, []Factor{{g, 1, "event"}}},
		{"no-op", SelfComposed{Composed{[]Event{NoOp{}, Composed{}}}, 5}, []Factor{}},
		{"counts multiply", SelfComposed{SelfComposed{g, 3}, 5}, []Factor{{g, 15, "event.event.event"}}},
		{"equal factors merge", Composed{[]Event{l, SelfComposed{g, 3}, NoOp{}, Gaussian{big.NewRat(3, 3)}, l}},
			[]Factor{{l, 2, "event.events[0]"}, {g, 4, "event.events[1].event"}}},
		{"non-private stays", Composed{[]Event{g, NonPrivate{}}}, []Factor{{g, 1, "event.events[0]"}, {NonPrivate{}, 1, "event.events[1]"}}},
		{"everything is sampled", SelfComposed{q(1, 1, Composed{[]Event{g, l}}), 2}, []Factor{{g, 2, "event.event.event.events[0]"}, {l, 2, "event.event.event.events[1]"}}},
		{"nothing is sampled", Composed{[]Event{q(0, 1, NonPrivate{}), SampledWithoutReplacement{5, 0, NonPrivate{}}, g}}, []Factor{{g, 1, "event.events[2]"}}},
		{"a no-op is sampled", Composed{[]Event{q(1, 2, Composed{[]Event{NoOp{}}}), SampledWithoutReplacement{5, 1, NoOp{}}, g}}, []Factor{{g, 1, "event.events[2]"}}},
		{"sampled twice", q(1, 2, q(1, 3, q(1, 5, g))), []Factor{{q(1, 30, g), 1, "event"}}},
		{"sampled twice, in disguise", Composed{[]Event{q(1, 6, g), q(1, 2, Composed{[]Event{NoOp{}, SelfComposed{q(1, 3, g), 1}}})}}, []Factor{{q(1, 6, g), 2, "event.events[0]"}}},
		{"two samples inside one", q(1, 2, SelfComposed{q(1, 3, g), 2}), []Factor{{q(1, 2, SelfComposed{q(1, 3, g), 2}), 1, "event"}}},
		{"what is sampled is flattened", Composed{[]Event{q(1, 2, Composed{[]Event{g, SelfComposed{Composed{[]Event{l, g}}, 2}}}), q(1, 2, Composed{[]Event{SelfComposed{g, 3}, l, l}})}},
			[]Factor{{q(1, 2, Composed{[]Event{SelfComposed{g, 3}, SelfComposed{l, 2}}}), 2, "event.events[0]"}}},
		{"different rates", Composed{[]Event{q(1, 2, g), q(1, 3, g), q(1, 2, g2)}},
			[]Factor{{q(1, 2, g), 1, "event.events[0]"}, {q(1, 3, g), 1, "event.events[1]"}, {q(1, 2, g2), 1, "event.events[2]"}}},
		{"without replacement", SelfComposed{SampledWithoutReplacement{10, 5, SelfComposed{SelfComposed{g, 2}, 2}}, 3},
			[]Factor{{SampledWithoutReplacement{10, 5, SelfComposed{g, 4}}, 3, "event.event"}}},
		{"without replacement is no rate", Composed{[]Event{SampledWithoutReplacement{10, 5, g}, SampledWithoutReplacement{2, 1, g}, q(1, 2, g)}},
			[]Factor{{SampledWithoutReplacement{10, 5, g}, 1, "event.events[0]"}, {SampledWithoutReplacement{2, 1, g}, 1, "event.events[1]"}, {q(1, 2, g), 1, "event.events[2]"}}},
		{"huge counts of nothing", SelfComposed{SelfComposed{NoOp{}, MaxCount}, MaxCount}, []Factor{}},
		{"largest count", Composed{[]Event{SelfComposed{g, MaxCount - 1}, g}}, []Factor{{g, MaxCount, "event.events[0].event"}}},
		{"histograms by contents", Composed{[]Event{HistogramPair{"a", "b", p, p}, HistogramPair{"c", "d", p, p}, HistogramPair{"a", "b", p, []*big.Rat{one, new(big.Rat)}}}},
			[]Factor{{HistogramPair{"a", "b", p, p}, 2, "event.events[0]"}, {HistogramPair{"a", "b", p, []*big.Rat{one, new(big.Rat)}}, 1, "event.events[2]"}}},
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
	g := Gaussian{big.NewRat(1, 1)}
	tests := []struct {
		name string
		e    Event
		want string
	}{
		{"product", SelfComposed{SelfComposed{g, MaxCount}, MaxCount}, "event.event.event: GaussianDpEvent: number of factors up to here = more than 1000000000000, want at most 1000000000000"},
		{"sum", Composed{[]Event{SelfComposed{g, MaxCount}, Laplace{one}}}, "event.events[1]: LaplaceDpEvent: number of factors up to here = more than 1000000000000, want at most 1000000000000"},
		{"inside a sample", PoissonSampled{big.NewRat(1, 2), SelfComposed{SelfComposed{g, 1e6}, 1e7}}, "event.event.event.event: GaussianDpEvent: number of factors up to here = more than 1000000000000, want at most 1000000000000"},
		{"nil", Composed{[]Event{nil}}, "event.events[0]: event = <nil>, want an event of package mechanism, by value"},
		{"pointer", &g, "event = *mechanism.Gaussian, want an event of package mechanism, by value"},
		{"count", SelfComposed{g, 0}, "SelfComposedDpEvent: count = 0, want >= 1"},
		{"rate", PoissonSampled{big.NewRat(3, 2), g}, "PoissonSampledDpEvent: sampling_probability = 1.5, want in [0, 1]"},
		{"no rate", PoissonSampled{nil, g}, "PoissonSampledDpEvent: sampling_probability = nothing, want in [0, 1]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Factors(test.e)
			checkErrorText(t, err, test.want)
			var typed *ParamError
			if !errors.As(err, &typed) {
				t.Errorf("%#v is not a *ParamError", err)
			}
		})
	}
}

// Every class is a basic event, a composition or a sample.
func TestFactorsKnowsEveryClass(t *testing.T) {
	rng := newRand(7)
	seen := map[string]bool{}
	for i := 0; len(seen) < len(classNames); i++ {
		if i == 100_000 {
			missing := slices.DeleteFunc(ClassNames(), func(c string) bool { return seen[c] })
			t.Fatalf("randomLeaf and randomEvent of random_test.go draw no %v", missing)
		}
		e := randomEvent(rng, 1)
		seen[e.ClassName()] = true
		if _, err := Factors(e); err != nil {
			t.Fatal(err)
		}
	}
}

// expand is the meaning of a composition, written out: the list of its factors
// as text, each as often as it occurs. It is slow and knows no numbers, no
// multisets and no order.
func expand(e Event) []string {
	switch e := e.(type) {
	case NoOp:
		return nil
	case SelfComposed:
		return slices.Repeat(expand(e.Event), int(e.Count))
	case Composed:
		var all []string
		for _, child := range e.Events {
			all = append(all, expand(child)...)
		}
		return all
	case Group:
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
	case PoissonSampled:
		return sampled(e.SamplingProbability, expand(e.Event))
	case SampledWithoutReplacement:
		inner := expand(e.Event)
		if e.SampleSize == 0 || len(inner) == 0 {
			return nil
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("%d of %d {%s}", e.SampleSize, e.SourceDatasetSize, strings.Join(inner, ", "))}
	case SampledWithReplacement:
		inner := expand(e.Event)
		if e.SampleSize == 0 || len(inner) == 0 {
			return nil
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("%d draws of %d {%s}", e.SampleSize, e.SourceDatasetSize, strings.Join(inner, ", "))}
	case RepeatAndSelect:
		inner := expand(e.Event)
		switch {
		case e.Mean.Sign() == 0 || len(inner) == 0:
			return nil
		case e.Shape != nil && e.Mean.Cmp(one) == 0:
			return inner
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("best of %v %v {%s}", e.Mean, e.Shape, strings.Join(inner, ", "))}
	case RandomAllocation:
		inner := expand(e.Event)
		switch {
		case e.NumSelected == 0 || len(inner) == 0:
			return nil
		case e.NumSelected == e.NumSteps:
			return slices.Repeat(inner, int(e.NumSteps))
		}
		slices.Sort(inner)
		return []string{fmt.Sprintf("in %d of %d {%s}", e.NumSelected, e.NumSteps, strings.Join(inner, ", "))}
	}
	return []string{string(EncodeEvent(e))}
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
	properties.Property("Factors is the composition written out", prop.ForAll(func(c eventCase) string {
		factors, err := Factors(c.Event)
		if err != nil {
			return err.Error()
		}
		var got []string
		seen := map[string]bool{}
		for _, f := range factors {
			texts := expand(f.Event)
			if len(texts) != 1 {
				return fmt.Sprintf("%s is no single factor", EncodeEvent(f.Event))
			}
			if key := string(EncodeEvent(f.Event)); seen[key] {
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
	}, genEvent()))
	properties.TestingRun(t)
}

// The factors of a factor are itself: flattening is done when it is done.
func TestFactorsOfAFactor(t *testing.T) {
	rng := newRand(9)
	for range 2000 {
		factors, err := Factors(randomEvent(rng, 4))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range factors {
			again, err := Factors(f.Event)
			if err != nil || len(again) != 1 || again[0].Count != 1 || !Equal(again[0].Event, f.Event) {
				t.Fatalf("the factors of %s are %v, %v", EncodeEvent(f.Event), again, err)
			}
		}
	}
}

// Work that doubles per level, or that follows the counts, never ends here.
func TestFactorsTakesLinearTime(t *testing.T) {
	var e Event = Gaussian{big.NewRat(1, 1)}
	for i := range 60 {
		e = PoissonSampled{big.NewRat(1, int64(i+2)), Composed{[]Event{e, Laplace{big.NewRat(1, 1)}}}}
	}
	wide := make([]Event, 100_000)
	for i := range wide {
		wide[i] = SelfComposed{Gaussian{big.NewRat(int64(1+i%1000), 7)}, 1_000_000}
	}
	factors, err := Factors(Composed{append(wide, e)})
	if err != nil {
		t.Fatal(err)
	}
	if len(factors) != 1001 || factors[0].Count != 100_000_000 {
		t.Errorf("%d factors, the first %d times", len(factors), factors[0].Count)
	}
}
