// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"math"
	"math/big"
	"testing"
	"time"

	"dpverify/certify"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// TestGaussianFilterSpendsAll: what a Gaussian filter accepts of a list that was fixed beforehand keeps the budget, and
// with a Gaussian for what is left, and a millionth, it does not.
func TestGaussianFilterSpendsAll(t *testing.T) {
	eps, delta := testkit.Rat("1"), testkit.Rat("1e-6")
	for _, r := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne} {
		q := Question{
			Relation: r, Digits: 6, Budget: time.Minute,
			Lines: mustParse(t, gauss+"\n"+laplace+`
{"class_name": "ComposedDpEvent", "events": [{"class_name": "GaussianDpEvent", "noise_multiplier": 30}, `+gauss+`]}
{"class_name": "SelfComposedDpEvent", "count": 8, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 60}}
{"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1, "event": `+gauss+`}
{"class_name": "GaussianDpEvent", "noise_multiplier": 2}
`),
		}
		f, err := NewGaussianFilter(t.Context(), q, eps, delta)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := Run(t.Context(), q, f)
		if err != nil {
			t.Fatal(err)
		}
		var accepted []Line
		for i, s := range steps {
			if s.Decision == Accepted {
				accepted = append(accepted, q.Lines[i])
			}
		}
		if steps[1].Decision != Refused || steps[4].Decision != Refused || steps[5].Decision != Refused || steps[0].Decision != Accepted || steps[3].Decision != Accepted {
			t.Errorf("%s: %d of %d accepted", r, len(accepted), len(steps))
		}
		found, err := q.keeps(t.Context(), composed(accepted), eps, delta, nil)
		if err != nil || found.Verdict != certify.Verified {
			t.Errorf("%s: %v, %v", r, found.Verdict, err)
		}
		// 1/σ² is the rest of the bound, and a bit more.
		rest, _ := new(big.Rat).Mul(f.Left(), testkit.Rat("1.000001")).Float64()
		sigma := new(big.Rat).SetFloat64(math.Sqrt(1 / rest))
		last := mechanism.Gaussian{NoiseMultiplier: sigma}
		all := composed(append(accepted, Line{Events: mechanism.Range{MorePrivate: last, LessPrivate: last}}))
		if found, err = q.keeps(t.Context(), all, eps, delta, nil); err != nil || found.Verdict != certify.Refuted {
			t.Errorf("%s: with more than the rest: %v, %v", r, found.Verdict, err)
		}
	}
}

// TestGaussianLoss: counts multiply and lists add up, and nothing else has a loss.
func TestGaussianLoss(t *testing.T) {
	for text, want := range map[string]string{
		gauss:   "0.01",
		laplace: "",
		`{"class_name": "SelfComposedDpEvent", "count": 7, "event": ` + gauss + `}`:                  "0.07",
		`{"class_name": "ComposedDpEvent", "events": [` + gauss + `, ` + gauss + `]}`:                "0.02",
		`{"class_name": "ComposedDpEvent", "events": [` + gauss + `, ` + laplace + `]}`:              "",
		`{"class_name": "PoissonSampledDpEvent", "sampling_probability": 1, "event": ` + gauss + `}`: "",
	} {
		got := gaussian(mustParse(t, text)[0].Events.LessPrivate)
		if (got == nil) != (want == "") || got != nil && got.Cmp(testkit.Rat(want)) != 0 {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
