// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func parse(t *testing.T, event string) *Template {
	t.Helper()
	tm, err := Parse("event.yaml", []byte(event), mechanism.Decoder{})
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

// The steps of randomized response: k releases of ε = 1/10 give ε = k/10 at δ = 0, so ten
// meet (1, 0) and eleven do not.
func TestSearch(t *testing.T) {
	q := Question{
		Template: parse(t, `{class_name: SelfComposedDpEvent, count: "?", event: {class_name: EpsilonDeltaDpEvent, epsilon: 0.1, delta: 0}}`),
		Epsilon:  big.NewRat(1, 1), Delta: new(big.Rat), Digits: DefaultDigits, Budget: time.Minute,
	}
	f, err := Search(t.Context(), q)
	if err != nil || f.Best == nil || f.Next == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	r := NewReport(q, f)
	if r.Field != "count" || r.Best.Value != "10" || r.Best.Verdict != certify.Verified || r.Next.Value != "11" || r.Next.Verdict != certify.Refuted {
		t.Errorf("best %+v, next %+v", r.Best, r.Next)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ended, q); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestSearchChecksItsQuestion(t *testing.T) {
	tm := parse(t, `{class_name: GaussianDpEvent, noise_multiplier: "?"}`)
	one, negative := big.NewRat(1, 1), big.NewRat(-1, 1)
	for _, q := range []Question{
		{Template: tm, Delta: one, Digits: 2},
		{Template: tm, Epsilon: one, Digits: 2},
		{Template: tm, Epsilon: negative, Delta: one, Digits: 2},
		{Template: tm, Epsilon: one, Delta: one},
		{Template: tm, Epsilon: one, Delta: one, Digits: MaxDigits + 1},
	} {
		var fault *mechanism.ParamError
		if _, err := Search(t.Context(), q); !errors.As(err, &fault) {
			t.Errorf("ε = %v, δ = %v, %d digits: %v", q.Epsilon, q.Delta, q.Digits, err)
		}
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{"{", "event.yaml:"},
		{"{class_name: NoOpDpEvent}", `event.yaml: 0 fields are "?", want one`},
		{`{p: ["?", "?"]}`, `event.yaml: 2 fields are "?", want one`},
		{`{radius: "?"}`, `event.yaml:1: radius = "?", want one of noise_multiplier, `},
		{`"?"`, `event.yaml:1: event = "?", want one of`},
	} {
		if _, err := Parse("event.yaml", []byte(c.event), mechanism.Decoder{}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.event, err, c.want)
		}
	}
}

// TestMonotone: along every scale privacy is monotone, but for noise that may also release a key, a rate at which
// others are dropped as well, and draws with replacement, of which nothing is proved.
func TestMonotone(t *testing.T) {
	const gauss = `{class_name: GaussianDpEvent, noise_multiplier: 1}`
	for _, c := range []struct {
		event string
		want  bool
	}{
		{`{class_name: GaussianDpEvent, noise_multiplier: "?"}`, true},
		{`{class_name: PoissonSampledDpEvent, sampling_probability: "?", event: ` + gauss + `}`, true},
		{`{class_name: EpsilonDeltaDpEvent, epsilon: "?", delta: 0}`, true},
		{`{class_name: ZCDpEvent, rho: "?"}`, true},
		{`{class_name: DiscreteLaplaceDpEvent, noise_parameter: "?", sensitivity: 1}`, true},
		{`{class_name: RandomizedResponseDpEvent, noise_parameter: "?", num_buckets: 4}`, true},
		{`{class_name: DiscreteGaussianDpEvent, sigma: "?"}`, false},
		{`{class_name: TruncatedLaplaceEvent, scale: "?", sensitivity: 1, radius: 50}`, false},
		{`{class_name: MixtureOfGaussiansDpEvent, standard_deviation: "?", sensitivities: [1], sampling_probs: [1]}`, true},
		{`{class_name: SelfComposedDpEvent, count: "?", event: ` + gauss + `}`, true},
		{`{class_name: SampledWithoutReplacementDpEvent, source_dataset_size: 9, sample_size: "?", event: ` + gauss + `}`, true},
		{`{class_name: SampledWithReplacementDpEvent, source_dataset_size: 9, sample_size: "?", event: ` + gauss + `}`, false},
		{`{class_name: ThresholdedNoiseEvent, threshold: 20, keys: 1, event: {class_name: GaussianDpEvent, noise_multiplier: "?"}}`, false},
		{`{class_name: TruncatedSubsampledGaussianDpEvent, dataset_size: 9, sampling_probability: "?", truncated_batch_size: 2, noise_multiplier: 1}`, false},
		{`{class_name: TruncatedSubsampledGaussianDpEvent, dataset_size: 9, sampling_probability: 0.5, truncated_batch_size: 2, noise_multiplier: "?"}`, true},
	} {
		tm := parse(t, c.event)
		s, err := tm.scale(DefaultDigits)
		if err != nil || tm.monotone(s) != c.want {
			t.Errorf("%s: %v, want %v, %v", c.event, tm.monotone(s), c.want, err)
		}
		if _, err := tm.event(s.at(0)); err != nil {
			t.Errorf("%s is changed: %v", c.event, err)
		}
	}
}

// TestNotEnoughIsProved: estimates look at the middle of an enclosure, which may be above δ although δ(ε) is not known
// to be.
func TestNotEnoughIsProved(t *testing.T) {
	q := Question{
		Template: parse(t, `{class_name: SelfComposedDpEvent, count: "?", event: {class_name: ZCDpEvent, rho: 0.5}}`),
		Epsilon:  big.NewRat(1, 1), Delta: big.NewRat(21489, 100000), Digits: DefaultDigits, Budget: time.Minute,
	}
	var none NotEnoughError
	if _, err := Search(t.Context(), q); !errors.As(err, &none) || !strings.Contains(none.Error(), "no count is known to be enough") {
		t.Errorf("an event with a gap: %v", err)
	}
	q.Delta = big.NewRat(1, 10)
	if _, err := Search(t.Context(), q); !errors.As(err, &none) || !strings.Contains(none.Error(), "no count is enough") {
		t.Errorf("an event that is refuted: %v", err)
	}
}

// TestSearchByEveryKindOfNoise: the least noise of discrete, truncated and randomized releases, and the most of a
// guarantee, each where the next value is REFUTED.
func TestSearchByEveryKindOfNoise(t *testing.T) {
	for _, c := range []struct{ event, best, next string }{
		{`discrete_laplace(?, 1)`, "1.000", "1.001"},
		{`{class_name: DiscreteLaplaceDpEvent, noise_parameter: "?", sensitivity: 4}`, "0.2500", "0.2501"},
		{`{class_name: RandomizedResponseDpEvent, noise_parameter: "?", num_buckets: 4}`, "0.4273", "0.4272"}, // (4 − e)/3 = 0.42723…
		{`discrete_gaussian(?)`, "3.741", "3.740"},
		{`zcdp(?)`, "0.03055", "0.03056"},
		{`{class_name: TruncatedLaplaceEvent, scale: "?", sensitivity: 1, radius: 50}`, "1.000", "0.9999"},
		{`{class_name: TruncatedGaussianEvent, sigma: "?", sensitivity: 1, radius: 50}`, "3.731", "3.730"},
	} {
		q := Question{
			Template: parse(t, c.event), Relation: mechanism.ReplaceSpecial,
			Epsilon: big.NewRat(1, 1), Delta: big.NewRat(1, 100_000), Digits: DefaultDigits, Budget: time.Minute,
		}
		f, err := Search(t.Context(), q)
		if err != nil || f.Best == nil || f.Next == nil {
			t.Errorf("%s: %+v, %v", c.event, f, err)
			continue
		}
		if f.Best.Text != c.best || f.Next.Text != c.next || f.Next.Outcome.Verdict != certify.Refuted {
			t.Errorf("%s: %s and then %s, %s; want %s and %s", c.event, f.Best.Text, f.Next.Text, f.Next.Outcome.Verdict, c.best, c.next)
		}
	}
}

// TestSearchWhereAGapRemains: the greatest value that is VERIFIED is found by the upper bound, and the next one is not
// decided.
func TestSearchWhereAGapRemains(t *testing.T) {
	const last = `{class_name: LastIterateEvent, contraction: 1, steps: 6, batches: 2, diameter: 0.5, noise_multiplier: "?"}`
	q := Question{Template: parse(t, last), Epsilon: big.NewRat(1, 1), Delta: big.NewRat(1, 100_000), Digits: 4, Budget: time.Minute}
	f, err := Search(t.Context(), q)
	if err != nil || f.Best == nil || f.Next == nil || f.Best.Text != "5.276" || f.Next.Outcome.Verdict != certify.Undecided {
		t.Errorf("%+v, %v", f, err)
	}
	for x, want := range map[string]bool{"5.3": true, "5.276": true, "5.275": false, "5": false} {
		if e, err := q.estimate(t.Context(), testkit.Rat(x)); err != nil || e.ok != want {
			t.Errorf("%s: %+v, %v", x, e, err)
		}
	}
}

// TestSearchScansRisingFields: too much noise may be as bad as too little, whether the field is a scale or the inverse
// of one. The count of the key, 1, reaches the threshold, 12, with the probability e^−11λ/(1 + e^−λ) ≤ 1e-8 from λ =
// 1.67 on, and λ ≤ ε = 2.
func TestSearchScansRisingFields(t *testing.T) {
	for _, c := range []struct{ noise, best, next string }{
		{`{class_name: DiscreteLaplaceDpEvent, noise_parameter: "?", sensitivity: 1}`, "2.000", "2.001"},
		{`{class_name: LaplaceDpEvent, noise_multiplier: "?"}`, "0.5000", "0.4999"},
	} {
		q := Question{
			Template: parse(t, `{class_name: ThresholdedNoiseEvent, event: `+c.noise+`, threshold: 12, keys: 1}`),
			Epsilon:  big.NewRat(2, 1), Delta: big.NewRat(1, 100_000_000), Digits: DefaultDigits, Budget: time.Minute,
		}
		f, err := Search(t.Context(), q)
		if err != nil || f.Best == nil || f.Next == nil || f.Best.Text != c.best || f.Next.Text != c.next || f.Note == "" {
			t.Errorf("%s: %+v, %v", c.noise, f, err)
		}
	}
}

// TestSearchAtDeltaZero: no Gaussian noise has δ = 0, and that is proved, not a matter of time.
func TestSearchAtDeltaZero(t *testing.T) {
	for _, eps := range testkit.Few(1, []int64{0, 1}) {
		q := Question{Template: parse(t, `gaussian(?)`), Epsilon: big.NewRat(eps, 1), Delta: new(big.Rat), Digits: DefaultDigits, Budget: time.Minute}
		f, err := Search(t.Context(), q)
		var none NotEnoughError
		if !errors.As(err, &none) || !strings.Contains(none.Error(), "no noise_multiplier is enough: even at 10000000") {
			t.Errorf("ε = %d: %+v, %v", eps, f, err)
		}
	}
	q := Question{Template: parse(t, `laplace(?)`), Epsilon: big.NewRat(1, 1), Delta: new(big.Rat), Digits: DefaultDigits, Budget: time.Minute}
	if f, err := Search(t.Context(), q); err != nil || f.Best == nil || f.Best.Text != "1.000" {
		t.Errorf("%+v, %v", f, err)
	}
}
