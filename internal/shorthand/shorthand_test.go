// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shorthand_test

import (
	"strings"
	"testing"

	. "dpverify/internal/shorthand"
	"dpverify/mechanism"
)

func TestParse(t *testing.T) {
	const gaussian = `{"class_name":"GaussianDpEvent","noise_multiplier":"1.1"}`
	for text, want := range map[string]string{
		"gaussian(1.1)":                                               gaussian,
		" gaussian ( sigma = 1.1 ) ":                                  gaussian,
		"(gaussian(1.1))":                                             gaussian,
		"gaussian(11/10) * 20":                                        `{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":20}`,
		"20 * gaussian(11/10)":                                        `{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":20}`,
		"2*(gaussian(1.1)*3)":                                         `{"class_name":"SelfComposedDpEvent","event":{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":3},"count":2}`,
		"gaussian(1.1)*2*3":                                           `{"class_name":"SelfComposedDpEvent","event":{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":2},"count":3}`,
		"gaussian(1.1)+laplace(1e+1)":                                 `{"class_name":"ComposedDpEvent","events":[` + gaussian + `,{"class_name":"LaplaceDpEvent","noise_multiplier":10}]}`,
		"(gaussian(1.1)+gaussian(1.1))*2":                             `{"class_name":"SelfComposedDpEvent","event":{"class_name":"ComposedDpEvent","events":[` + gaussian + "," + gaussian + `]},"count":2}`,
		"sgd(sigma=1.1, batch=256, n=60000, epochs=15)":               `{"class_name":"SelfComposedDpEvent","event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"256/60000","event":` + gaussian + `},"count":3510}`,
		"sgd(1.1, 5, 5, steps=7)":                                     `{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":7}`,
		"poisson(0.5, gaussian(1.1))":                                 `{"class_name":"PoissonSampledDpEvent","sampling_probability":0.5,"event":` + gaussian + `}`,
		"subset(10, 2, gaussian(1.1))":                                `{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":10,"sample_size":2,"event":` + gaussian + `}`,
		"group(gaussian(1.1), size=3)":                                `{"class_name":"GroupEvent","event":` + gaussian + `,"size":3}`,
		"dp(1)":                                                       `{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0}`,
		"dp(1, 1e-5)":                                                 `{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":1e-5}`,
		"zcdp(0.5)":                                                   `{"class_name":"ZCDpEvent","rho":0.5}`,
		"randomized_response(0.5, 4)":                                 `{"class_name":"RandomizedResponseDpEvent","noise_parameter":0.5,"num_buckets":4}`,
		"discrete_gaussian(2, dimension=1)":                           `{"class_name":"DiscreteGaussianDpEvent","sigma":2,"dimension":1}`,
		"discrete_laplace(2, 1)":                                      `{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":2,"sensitivity":1}`,
		"exponential(1)":                                              `{"class_name":"ExponentialMechanismDpEvent","epsilon":1}`,
		"permute_and_flip(1)":                                         `{"class_name":"PermuteAndFlipDpEvent","epsilon":1}`,
		"sgd(1.1, 10, 100, epochs=2, sampling=poisson)":               `{"class_name":"SelfComposedDpEvent","event":{"class_name":"PoissonSampledDpEvent","sampling_probability":0.1,"event":` + gaussian + `},"count":20}`,
		"sgd(1.1, 10, 100, epochs=2, sampling=truncated(15))":         `{"class_name":"SelfComposedDpEvent","event":{"class_name":"TruncatedSubsampledGaussianDpEvent","dataset_size":100,"sampling_probability":0.1,"truncated_batch_size":15,"noise_multiplier":1.1},"count":20}`,
		"sgd(1.1, 10, 100, steps=3, sampling=fixed)":                  `{"class_name":"SelfComposedDpEvent","event":{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":100,"sample_size":10,"event":` + gaussian + `},"count":3}`,
		"sgd(1.1, 100, 100, steps=3, sampling=fixed)":                 `{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":3}`,
		"sgd(1.1, 10, 100, steps=3, sampling=fixed_with_replacement)": `{"class_name":"SelfComposedDpEvent","event":{"class_name":"SampledWithReplacementDpEvent","source_dataset_size":100,"sample_size":10,"event":` + gaussian + `},"count":3}`,
		"sgd(1.1, 10, 109, epochs=2, sampling=allocation)":            `{"class_name":"SelfComposedDpEvent","event":{"class_name":"RandomAllocationDpEvent","num_selected":1,"num_steps":10,"event":` + gaussian + `},"count":2}`,
		"sgd(1.1, 10, 109, epochs=2, sampling=shuffle)":               `{"class_name":"SelfComposedDpEvent","event":{"class_name":"ShuffledBatchesEvent","batches":10,"event":` + gaussian + `},"count":2}`,
		"sgd(1.1, 10, 100, epochs=2, sampling=balls_in_bins)":         `{"class_name":"RandomAllocationDpEvent","num_selected":1,"num_steps":10,"event":{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":2}}`,
		"sgd(1.1, 10, 100, steps=10, sampling=balls_in_bins)":         `{"class_name":"RandomAllocationDpEvent","num_selected":1,"num_steps":10,"event":` + gaussian + `}`,
		"sgd(1.1, 10, 100, steps=21, sampling=cyclic(4))":             `{"class_name":"SelfComposedDpEvent","event":{"class_name":"PoissonSampledDpEvent","sampling_probability":0.4,"event":` + gaussian + `},"count":6}`,
		"sgd(1.1, 10, 100, steps=20, sampling=cyclic(10))":            `{"class_name":"SelfComposedDpEvent","event":` + gaussian + `,"count":2}`,
		"tree(4, 100)":                                                `{"class_name":"SingleEpochTreeAggregationDpEvent","noise_multiplier":4,"step_counts":100}`,
	} {
		data, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := mechanism.DecodeEvent(data)
		if err != nil {
			t.Errorf("%s: %s: %v", text, data, err)
			continue
		}
		if e, err := mechanism.DecodeEvent([]byte(want)); err != nil || !mechanism.Equal(got, e) {
			t.Errorf("%s: %s, want %s (%v)", text, mechanism.EncodeEvent(got), want, err)
		}
		if !Looks(text) {
			t.Errorf("%s does not look like a short form", text)
		}
	}
	for _, text := range []string{"{class_name: NoOpDpEvent}", "event.json", "@gaussian(1)", "-", "a.b(c"} {
		if Looks(text) {
			t.Errorf("%s looks like a short form", text)
		}
	}
}

func TestUnknownNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"gaussian(?)":                   `{"class_name":"GaussianDpEvent","noise_multiplier":"?"}`,
		"laplace(2) * ?":                `{"class_name":"SelfComposedDpEvent","count":"?","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"2"}}`,
		"? * laplace(2)":                `{"class_name":"SelfComposedDpEvent","count":"?","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"2"}}`,
		"sgd(?, 1, 2, steps=3)":         `{"class_name":"SelfComposedDpEvent","count":"3","event":{"class_name":"PoissonSampledDpEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":"?"},"sampling_probability":"0.5"}}`,
		"sgd(3, 2, 2, steps=?)":         `{"class_name":"SelfComposedDpEvent","count":"?","event":{"class_name":"GaussianDpEvent","noise_multiplier":"3"}}`,
		"poisson(q=?, gaussian(1))":     "",
		"poisson(q=?,event=laplace(1))": `{"class_name":"PoissonSampledDpEvent","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"1"},"sampling_probability":"?"}`,
	} {
		if got, err := Parse(text); string(got) != want || (err == nil) != (want != "") || !Looks(text) {
			t.Errorf("%s: %s, want %s (%v)", text, got, want, err)
		}
	}
}

func TestErrorsSayWhereAndWhat(t *testing.T) {
	for text, want := range map[string]string{
		"gausian(1)":               `column 1: "gausian", want one of gaussian, `,
		"gaussian(1":               "column 11: the end, want , or ); inside of {…} a text with commas needs quotes",
		"poisson(0.1, gaussian(1)": "column 25: the end, want , or )",
		"gaussian 1":               "column 10: \"1\", want ( after gaussian",
		"gaussian()":               "column 1: gaussian without sigma|variance, want gaussian(sigma|variance)",
		"gaussian(1, 2)":           "column 13: \"2)\", want gaussian(sigma|variance)",
		"gaussian(1, sigma=2)":     "column 13: sigma is given twice",
		"gaussian(noise=2)":        "column 10: noise = …, want gaussian(sigma|variance)",
		"gaussian(x)":              "column 10: \"x)\", want a number",
		"gaussian(1/0)":            "column 10: ",
		"gaussian(1) * 2.5":        "column 15: 2.5 times, want an integer >= 1",
		"gaussian(1) *":            "column 14: the end, want a number",
		"gaussian(1) gaussian(1)":  "column 13: \"gaussian(1)\", want +, * or the end",
		"(gaussian(1)":             "column 13: the end, want +, * or )",
		"gaussian(sigma=1, 2)":     "column 19: \"2)\", want a name and =, as before it, of gaussian(sigma|variance)",
		"laplace(1, q=0.1)":        "column 12: q = …, want laplace(scale); poisson(q, event) is for samples, * steps for copies, and sgd for both",
		"sgd(1, ?, 5, 3)":          "column 1: sgd with batch=?, want ? for sigma or steps; of poisson(?, gaussian(sigma)) * steps, the rate batch/n is found",
		"sgd(1, 2, 5, ?)":          "column 1: sgd with epochs=?, want ? for sigma or steps; of poisson(?, gaussian(sigma)) * steps, the rate batch/n is found",
		"sgd(1, 2, 5, 1, ?)":       "column 1: sgd takes either epochs or steps",
		"gaussian(??)":             "column 11: \"?)\", want , or )",
		"sgd(1, 10, 5, 3)":         "column 1: sgd takes a batch > 0 of at most n records",
		"sgd(1, 1, 5, steps=5, sampling=sometimes)":                `column 32: "sometimes)", want poisson|truncated(B)|fixed|fixed_with_replacement|allocation|balls_in_bins|cyclic(b)|shuffle`,
		"sgd(1, 1, 5, steps=5, sampling=2)":                        `column 32: "2)", want poisson|`,
		"sgd(1, 1, 5, steps=5, sampling=cyclic)":                   `column 38: ")", want ( after cyclic`,
		"sgd(1, 1, 5, steps=5, sampling=cyclic(1.5))":              `column 39: cyclic(1.5), want an integer >= 1`,
		"sgd(1, 1, 5, steps=5, sampling=truncated(?))":             `column 42: truncated(?), want an integer >= 1`,
		"sgd(1, 1, 5, steps=5, sampling=cyclic(2)":                 `want , or )`,
		"sgd(1, 1, 5, steps=5, sampling=cyclic(6))":                `column 1: sgd with sampling=cyclic: groups of n/6 records are smaller than the batch, want cyclic(b) with b*batch <= n`,
		"sgd(1, 1, 5, steps=?, sampling=cyclic(2))":                `column 1: sgd with sampling=cyclic: steps=? is no number of whole rounds, want epochs or a number of steps`,
		"sgd(1, 1, 5, steps=?, sampling=allocation)":               `column 1: sgd with sampling=allocation: steps=? is no number of whole rounds`,
		"sgd(1, 1, 5, steps=6, sampling=balls_in_bins)":            `column 1: sgd with sampling=balls_in_bins: 6 steps, want whole epochs of 5`,
		"sgd(1, 1, 5, steps=6, sampling=allocation)":               `column 1: sgd with sampling=allocation: 6 steps, want whole epochs of 5`,
		"sgd(1, 1.5, 5, steps=6, sampling=fixed)":                  `column 1: sgd with sampling=fixed: batch = 1.5, want an integer`,
		"sgd(1, 1, 5.5, steps=6, sampling=fixed_with_replacement)": `column 1: sgd with sampling=fixed_with_replacement: n = 5.5, want an integer`,
		"sgd(1, 1, 5.5, steps=6, sampling=truncated(3))":           `column 1: sgd with sampling=truncated: n = 5.5, want an integer`,
		"sgd(1, 1, 5, steps=6, sampling=shuffle)":                  `column 1: sgd with sampling=shuffle: 6 steps, want whole epochs of 5`,
		"sgd(1, 1, 5)":                       "column 1: sgd takes either epochs or steps",
		"sgd(1, 1, 5, 1, 2)":                 "column 1: sgd takes either epochs or steps",
		"sgd(1, 1, 5, epochs=0)":             "column 1: sgd for 0 steps, want an integer >= 1",
		"":                                   "column 1: the end, want a mechanism such as gaussian(1)",
		strings.Repeat("(", 60):              "more than 50 parentheses",
		strings.Repeat("gaussian(1)+", 9999): "a text of",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse: no text makes it panic, and what it returns is JSON.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"gaussian(1) * 20", "sgd(sigma=1.1, batch=256, n=60000, epochs=15)", "poisson(0.1, laplace(1)+dp(1,1e-5))", "group((gaussian(1)),2)", "tree(1e-3,-5)", "((", "gaussian(1e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data, err := Parse(text)
		if err != nil {
			return
		}
		// The decoder decides about values; what it says is an error of its own.
		if _, err := mechanism.DecodeEvent(data); err != nil && strings.Contains(err.Error(), "class_name") {
			t.Errorf("%q: %s: %v", text, data, err)
		}
	})
}
