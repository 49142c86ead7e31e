// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestEstimates: closed forms, transforms and grids estimate alike on both sides of the border, where the proof is on
// the same side.
func TestEstimates(t *testing.T) {
	for _, c := range []struct {
		event     string
		good, bad *big.Rat
		want      noise
	}{
		{`{class_name: SelfComposedDpEvent, count: 20, event: {class_name: LaplaceDpEvent, noise_multiplier: "?"}}`, big.NewRat(22, 1), big.NewRat(15, 1), otherNoise},
		{`{class_name: SelfComposedDpEvent, count: 1000, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.01, event: {class_name: LaplaceDpEvent, noise_multiplier: "?"}}}`, big.NewRat(29, 10), big.NewRat(4, 10), laplaceSamples},
		{`{class_name: SelfComposedDpEvent, count: 3, event: {class_name: PoissonSampledDpEvent, sampling_probability: 0.1, event: {class_name: LaplaceDpEvent, noise_multiplier: "?"}}}`, big.NewRat(2, 1), big.NewRat(1, 4), laplaceSamples},
		{`{class_name: SelfComposedDpEvent, count: 500, event: {class_name: PoissonSampledDpEvent, sampling_probability: "?", event: {class_name: GaussianDpEvent, noise_multiplier: 0.8}}}`, big.NewRat(2634, 1e6), big.NewRat(2635, 1e6), gaussianSamples},
		{`{class_name: SelfComposedDpEvent, count: "?", event: {class_name: GaussianDpEvent, noise_multiplier: 20}}`, big.NewRat(5, 1), big.NewRat(90, 1), otherNoise},
	}[:testkit.Draws(2, 3, 5)] {
		template, err := Parse("event", []byte(c.event), mechanism.Decoder{})
		if err != nil {
			t.Fatal(err)
		}
		q := Question{Template: template, Epsilon: big.NewRat(1, 1), Delta: big.NewRat(1, 1e6), Digits: 4, Budget: DefaultBudget}
		for _, x := range []*big.Rat{c.good, c.bad} {
			e, err := q.event(x)
			if err != nil {
				t.Fatal(err)
			}
			if got := noiseOf(e.LessPrivate); got != c.want {
				t.Errorf("%s: noise %v", c.event, got)
			}
			truth, err := exact.Delta(t.Context(), exact.Question{Event: e.LessPrivate}, q.Epsilon, 0)
			if err != nil {
				t.Fatal(err)
			}
			if below, decided := sideOf(truth, q.Delta); !decided || below != (x == c.good) {
				t.Fatalf("%s at %s: δ = %v", c.event, x.RatString(), truth.Interval)
			}
			if y, err := q.estimate(t.Context(), x); err != nil || y.ok != (x == c.good) || y.ok != (y.excess <= 0) {
				t.Errorf("%s at %s: %v, %v", c.event, x.RatString(), y, err)
			}
		}
	}
}

// TestEstimatesBelowOne: a δ below 1 whose nearest float64 is 1 is not an estimate of all.
func TestEstimatesBelowOne(t *testing.T) {
	template, err := Parse("event", []byte(`{class_name: SelfComposedDpEvent, count: "?", event: {class_name: LaplaceDpEvent, noise_multiplier: 1}}`), mechanism.Decoder{})
	if err != nil {
		t.Fatal(err)
	}
	delta, _ := new(big.Rat).SetString("0.99999999999999999999")
	q := Question{Template: template, Epsilon: big.NewRat(1, 1), Delta: delta, Digits: 4, Budget: DefaultBudget}
	for count, want := range map[int64]bool{100: true, 5e11: false} {
		if y, err := q.estimate(t.Context(), big.NewRat(count, 1)); err != nil || y.ok != want {
			t.Errorf("%d releases: %v, %v", count, y, err)
		}
	}
}

// TestEstimatesEnd: what takes longer than it may to certify does not seem to be private enough, and is no error; the
// end of the search is one.
func TestEstimatesEnd(t *testing.T) {
	q := Question{Template: parse(t, `gaussian(?) + laplace(1)`), Epsilon: big.NewRat(1, 1), Delta: big.NewRat(9, 10),
		Digits: 4, Budget: time.Nanosecond}
	if y, err := q.estimate(t.Context(), big.NewRat(10, 1)); err != nil || y != (estimate{}) {
		t.Errorf("after no time: %+v, %v", y, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.estimate(ctx, big.NewRat(10, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	q.Budget = time.Minute
	if y, err := q.estimate(t.Context(), big.NewRat(10, 1)); err != nil || !y.ok {
		t.Errorf("with time: %+v, %v", y, err)
	}
}
