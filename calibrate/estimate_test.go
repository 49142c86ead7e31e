// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import (
	"math/big"
	"testing"

	"dpverify/mechanism"
)

// TestEstimatesOfSampledGaussians: the estimate agrees with the proof on both sides of the border, and knows samples of Gaussians from everything else.
func TestEstimatesOfSampledGaussians(t *testing.T) {
	for _, c := range []struct {
		event   string
		good    *big.Rat
		bad     *big.Rat
		sampled bool
	}{
		{`{class_name: SelfComposedDpEvent, count: 500, event: {class_name: PoissonSampledDpEvent, sampling_probability: "?", event: {class_name: GaussianDpEvent, noise_multiplier: 0.8}}}`, big.NewRat(2634, 1e6), big.NewRat(2635, 1e6), true},
		{`{class_name: SelfComposedDpEvent, count: "?", event: {class_name: GaussianDpEvent, noise_multiplier: 20}}`, big.NewRat(5, 1), big.NewRat(90, 1), false},
	} {
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
			if got := sampledGaussian(e.LessPrivate); got != c.sampled {
				t.Errorf("%s: sampled %v", c.event, got)
			}
			if y, err := q.estimate(t.Context(), x); err != nil || y.ok != (x == c.good) || y.ok != (y.excess <= 0) {
				t.Errorf("%s at %s: %v, %v", c.event, x.RatString(), y, err)
			}
		}
	}
}
