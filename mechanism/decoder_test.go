// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/internal/document"
	"dpverify/internal/testkit"
)

// compareRats makes cmp compare numbers by value.
var compareRats = cmp.Comparer(func(a, b *big.Rat) bool {
	return a == b || a != nil && b != nil && a.Cmp(b) == 0
})

// files serves file contents by path.
func files(contents map[string]string) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		text, ok := contents[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

var testFiles = files(map[string]string{
	"p.csv": "bin,count\n0,1\n1,3\n",
	"q.csv": "bin,probability\n2,2/3\n0,1/3\n",
})

func parse(t testing.TB, src string) *document.Node {
	t.Helper()
	n, err := document.ParseJSON([]byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return n
}

// The first table of the format: what dp_accounting's to_named_tuple gives, as
// Python's json module prints it. Then our own classes.
func TestDecodeEveryClass(t *testing.T) {
	const dp = `{"module_name": "dp_accounting.dp_event", "class_name": `
	const own = `{"module_name": "dpverify", "class_name": `
	r := func(s string) *big.Rat { return testkit.Rat(s) }
	tests := []struct {
		src  string
		want Event
	}{
		{dp + `"NoOpDpEvent"}`, NoOp{}},
		{dp + `"NonPrivateDpEvent"}`, NonPrivate{}},
		{dp + `"GaussianDpEvent", "noise_multiplier": 1.1}`, Gaussian{NoiseMultiplier: r("11/10")}},
		{dp + `"LaplaceDpEvent", "noise_multiplier": 10}`, Laplace{r("10")}},
		{dp + `"RandomizedResponseDpEvent", "noise_parameter": 0.25, "num_buckets": 2}`, RandomizedResponse{r("1/4"), 2}},
		{dp + `"EpsilonDeltaDpEvent", "epsilon": 0.1, "delta": 1e-05}`, EpsilonDelta{r("1/10"), r("1/100000")}},
		{dp + `"DiscreteLaplaceDpEvent", "noise_parameter": 0.5, "sensitivity": 3}`, DiscreteLaplace{r("1/2"), 3}},
		{dp + `"DiscreteGaussianDpEvent", "sigma": 2.5, "sensitivity": 1.0, "dimension": null}`, DiscreteGaussian{Sigma: r("5/2"), Sensitivity: r("1"), Dimension: 0}},
		{dp + `"DiscreteGaussianDpEvent", "sigma": 2.5, "sensitivity": 1.5, "dimension": 3}`, DiscreteGaussian{Sigma: r("5/2"), Sensitivity: r("3/2"), Dimension: 3}},
		{dp + `"DiscreteGaussianDpEvent", "sigma": 2.5}`, DiscreteGaussian{Sigma: r("5/2"), Sensitivity: r("1"), Dimension: 0}},
		{dp + `"ZCDpEvent", "rho": 0.5, "xi": 0.0}`, ZCDP{r("1/2"), r("0")}},
		{dp + `"ZCDpEvent", "rho": 0.5}`, ZCDP{r("1/2"), r("0")}},
		{dp + `"ExponentialMechanismDpEvent", "epsilon": 2}`, ExponentialMechanism{r("2")}},
		{dp + `"PermuteAndFlipDpEvent", "epsilon": 0}`, PermuteAndFlip{r("0")}},
		{dp + `"MixtureOfGaussiansDpEvent", "standard_deviation": 1.5, "sensitivities": [0, 1, 2], "sampling_probs": [0.5, 0.3, 0.2]}`,
			MixtureOfGaussians{r("3/2"), []*big.Rat{r("0"), r("1"), r("2")}, []*big.Rat{r("1/2"), r("3/10"), r("1/5")}}},
		{dp + `"SelfComposedDpEvent", "event": ` + dp + `"GaussianDpEvent", "noise_multiplier": 1}, "count": 14062}`, SelfComposed{Gaussian{NoiseMultiplier: r("1")}, 14062}},
		{dp + `"ComposedDpEvent", "events": [` + dp + `"NoOpDpEvent"}, ` + dp + `"LaplaceDpEvent", "noise_multiplier": 1}]}`, Composed{[]Event{NoOp{}, Laplace{r("1")}}}},
		{dp + `"ComposedDpEvent", "events": []}`, Composed{[]Event{}}},
		{dp + `"PoissonSampledDpEvent", "sampling_probability": "256/60000", "event": ` + dp + `"GaussianDpEvent", "noise_multiplier": "1.1"}}`,
			PoissonSampled{r("8/1875"), Gaussian{NoiseMultiplier: r("11/10")}}},
		{dp + `"SampledWithoutReplacementDpEvent", "source_dataset_size": 1000, "sample_size": 10, "event": ` + dp + `"NoOpDpEvent"}}`,
			SampledWithoutReplacement{1000, 10, NoOp{}}},
		{dp + `"SampledWithReplacementDpEvent", "source_dataset_size": 1000, "sample_size": 10, "event": ` + dp + `"NoOpDpEvent"}}`,
			SampledWithReplacement{1000, 10, NoOp{}}},
		{dp + `"TruncatedSubsampledGaussianDpEvent", "dataset_size": 4, "sampling_probability": 0.5, "truncated_batch_size": 2, "noise_multiplier": 1}`,
			TruncatedSubsampledGaussian{4, r("1/2"), 2, r("1")}},
		{dp + `"RepeatAndSelectDpEvent", "event": ` + dp + `"NoOpDpEvent"}, "mean": 10, "shape": -0.5}`, RepeatAndSelect{NoOp{}, r("10"), r("-1/2")}},
		{dp + `"RepeatAndSelectDpEvent", "event": ` + dp + `"NoOpDpEvent"}, "mean": "0.5", "shape": "inf"}`, RepeatAndSelect{NoOp{}, r("1/2"), nil}},
		{dp + `"RandomAllocationDpEvent", "event": ` + dp + `"NoOpDpEvent"}, "num_selected": 3, "num_steps": 1e2}`,
			RandomAllocation{NoOp{}, 3, 100}},
		{own + `"ShuffledBatchesEvent", "event": ` + dp + `"NoOpDpEvent"}, "batches": 1e2}`, ShuffledBatches{NoOp{}, 100}},

		{own + `"FinitePairEvent", "p": [0.1, 0.9], "q": ["1/3", "2/3"]}`, FinitePair{[]*big.Rat{r("1/10"), r("9/10")}, []*big.Rat{r("1/3"), r("2/3")}}},
		{own + `"HistogramPairEvent", "p": "p.csv", "q": "q.csv"}`,
			HistogramPair{"p.csv", "q.csv", []*big.Rat{r("1/4"), r("3/4"), r("0")}, []*big.Rat{r("1/3"), r("0"), r("2/3")}}},
		{own + `"TruncatedGaussianEvent", "sigma": 1, "sensitivity": 2, "radius": 3}`, Truncated{GaussianNoise, r("1"), r("2"), r("3")}},
		{own + `"TruncatedLaplaceEvent", "scale": 1, "sensitivity": 2, "radius": 3}`, Truncated{LaplaceNoise, r("1"), r("2"), r("3")}},
		{own + `"ClampedLaplaceEvent", "location": -20, "scale": 4, "shift": 2, "order": "clamp-then-shift"}`, Clamped{LaplaceNoise, r("-20"), r("4"), r("2"), ClampThenShift}},
		{own + `"ClampedLaplaceEvent", "location": 20, "scale": 4, "shift": 2, "order": "shift-then-clamp"}`, Clamped{LaplaceNoise, r("20"), r("4"), r("2"), ShiftThenClamp}},
		{own + `"ClampedGaussianEvent", "location": -20, "sigma": 4, "shift": 2, "order": "shift-then-clamp"}`, Clamped{GaussianNoise, r("-20"), r("4"), r("2"), ShiftThenClamp}},
		{own + `"LocalRandomizerEvent", "table": [[0.25, "3/4"], [1, 0]]}`, LocalRandomizer{[][]*big.Rat{{r("1/4"), r("3/4")}, {r("1"), r("0")}}}},
		{own + `"LastIterateEvent", "contraction": 0.5, "steps": 9, "noise_multiplier": 2, "batches": 3}`, LastIterate{r("1/2"), 9, 3, r("2"), nil}},
		{own + `"LastIterateEvent", "contraction": 1, "steps": 9, "noise_multiplier": 2, "batches": 3, "diameter": 4}`, LastIterate{r("1"), 9, 3, r("2"), r("4")}},
		{own + `"ShuffledEvent", "reports": 1e3, "event": {"class_name": "EpsilonDeltaDpEvent", "epsilon": 2, "delta": 0}}`, Shuffled{1000, EpsilonDelta{r("2"), r("0")}}},
		{own + `"ThresholdedNoiseEvent", "event": {"class_name": "LaplaceDpEvent", "noise_multiplier": 2}, "threshold": -1.5, "keys": "3"}`, ThresholdedNoise{Laplace{r("2")}, r("-3/2"), 3}},
		{`{"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": 2, "step_counts": [3, "0"]}`, SingleEpochTreeAggregation{r("2"), []int64{3, 0}}},
		{`{"class_name": "SingleEpochTreeAggregationDpEvent", "noise_multiplier": 2, "step_counts": 12}`, SingleEpochTreeAggregation{r("2"), []int64{12}}},
		{own + `"GroupEvent", "event": {"class_name": "LaplaceDpEvent", "noise_multiplier": 2}, "size": "3"}`, Group{Laplace{r("2")}, 3}},
		{own + `"MaximumEvent", "events": [{"class_name": "LaplaceDpEvent", "noise_multiplier": 2}, {"class_name": "NoOpDpEvent"}]}`, Maximum{[]Event{Laplace{r("2")}, NoOp{}}}},
		{own + `"MeanOfEvents", "probabilities": ["1/3", "2/3"], "events": [{"class_name": "LaplaceDpEvent", "noise_multiplier": 2}, {"class_name": "NoOpDpEvent"}]}`, Mean{[]*big.Rat{r("1/3"), r("2/3")}, []Event{Laplace{r("2")}, NoOp{}}}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1, 0.5, 0], "steps": 4}, "min_separation": 2, "max_participations": 3, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1"), r("1/2")}}, 2, 3, r("5"), nil}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1], "steps": 4}, "min_separation": 2, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1")}}, 2, MaxCount, r("5"), nil}},
		{own + `"MatrixMechanismEvent", "strategy": {"entries": [[0, 0, 1], [1, 0, "-1/2"], [1, 1, 0]], "steps": 2}, "min_separation": 1, "max_participations": 1, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 2, Entries: []Entry{{Row: 0, Column: 0, Value: r("1")}, {Row: 1, Column: 0, Value: r("-1/2")}}}, 1, 1, r("5"), nil}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1], "steps": 4}, "sampling": {"poisson_cyclic": {"bands": 2, "probability": "1/3"}}, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1")}}, 0, 0, r("5"), &MatrixSampling{Kind: PoissonCyclic, Size: 2, Probability: r("1/3")}}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1], "steps": 4}, "sampling": {"balls_in_bins": {"bins": 2}}, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1")}}, 0, 0, r("5"), &MatrixSampling{Kind: BallsInBins, Size: 2, Probability: nil}}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1], "steps": 4}, "sampling": {"min_separation": {"separation": 2, "probability": "0.5"}}, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1")}}, 0, 0, r("5"), &MatrixSampling{Kind: MinSeparation, Size: 2, Probability: r("1/2")}}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1], "steps": 4}, "sampling": {"random_shift": {"bands": 2, "probability": "0.5"}}, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1")}}, 0, 0, r("5"), &MatrixSampling{Kind: RandomShift, Size: 2, Probability: r("1/2")}}},
		{own + `"MatrixMechanismEvent", "strategy": {"toeplitz": [1], "steps": 4}, "sampling": {"allocation": {"select": 2}}, "noise_multiplier": 5}`,
			MatrixMechanism{Strategy{Steps: 4, Toeplitz: []*big.Rat{r("1")}}, 0, 0, r("5"), &MatrixSampling{Kind: RandomSteps, Size: 2, Probability: nil}}},
		{own + `"BinomialEvent", "trials": "1e3", "probability": 0.5, "sensitivity": 1}`, Binomial{1000, r("1/2"), 1}},
		{own + `"AdditiveNoiseEvent", "probabilities": ["1/4", 0.75], "cell": 0.5, "sensitivity": 1}`, AdditiveNoise{"", "", []*big.Rat{r("1/4"), r("3/4")}, r("1/2"), r("1"), Density}},
		{own + `"DominatingPairEvent", "profile": [[-1, 1], [0, "0.1"], [1.5, 0]]}`,
			DominatingPair{[]ProfilePoint{{r("-1"), r("1")}, {r("0"), r("1/10")}, {r("3/2"), r("0")}}}},
		{own + `"GaussianPairEvent", "sigma_p": 2, "sigma_q": 0.5, "shift": 0}`, GaussianPair{r("2"), r("1/2"), r("0")}},
		{own + `"GaussianMixturePairEvent", "standard_deviation": 2, "p": [["1/4", 1], [0.75, -1]], "q": [[1, "1e-1"], [0, 7]]}`,
			GaussianMixturePair{r("2"), WeightedMeans{Weights: []*big.Rat{r("1/4"), r("3/4")}, Means: []*big.Rat{r("1"), r("-1")}},
				WeightedMeans{Weights: []*big.Rat{r("1"), r("0")}, Means: []*big.Rat{r("1/10"), r("7")}}}},
		{own + `"TradeOffEvent", "points": [[0.1, 0.7], ["1/3", 0]]}`, TradeOff{[]TradeOffPoint{{r("1/10"), r("7/10")}, {r("1/3"), r("0")}}}},
		{own + `"RenyiCurveEvent", "orders": [1.1, 2, 64], "values": [0, 0.5, 1]}`,
			RenyiCurve{[]*big.Rat{r("11/10"), r("2"), r("64")}, []*big.Rat{r("0"), r("1/2"), r("1")}}},
	}
	decoded := map[string]bool{}
	for _, test := range tests {
		got, err := Decoder{Open: testFiles}.Event(parse(t, test.src), "event")
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if diff := cmp.Diff(test.want, got, compareRats); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.src, diff)
		}
		decoded[got.ClassName()] = true
	}
	for _, name := range ClassNames() {
		if !decoded[name] {
			t.Errorf("no test decodes a %s", name)
		}
	}
}

// Every error kind, with its text as a golden value. The source is on line 1
// unless it says otherwise.
func TestDecodeErrors(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"class_name": "SelfComposedDpEvent", "count": 1, "event": `, n) + `{"class_name": "NoOpDpEvent"}` + strings.Repeat("}", n)
	}
	tests := []struct{ name, src, want string }{
		{"domain", `{"class_name": "GaussianDpEvent", "noise_multiplier": -1}`, `GaussianDpEvent: noise_multiplier = -1, want > 0`},
		{"domain, string", `{"class_name": "GaussianDpEvent", "noise_multiplier": "0/5"}`, `GaussianDpEvent: noise_multiplier = 0/5, want > 0`},
		{"domain, nested", `{"class_name": "ComposedDpEvent", "events": [{"class_name": "NoOpDpEvent"}, {"class_name": "NoOpDpEvent"}, {"class_name": "NoOpDpEvent"}, {"class_name": "SelfComposedDpEvent", "count": 2, "event": {"class_name": "PoissonSampledDpEvent", "sampling_probability": 1.2, "event": {"class_name": "NoOpDpEvent"}}}]}`,
			`event.events[3].event: PoissonSampledDpEvent: sampling_probability = 1.2, want in [0, 1]`},
		{"not a number", `{"class_name": "GaussianDpEvent", "noise_multiplier": "1_0"}`, `GaussianDpEvent: noise_multiplier = "1_0", want a number > 0`},
		{"NaN", `{"class_name": "GaussianDpEvent", "noise_multiplier": "NaN"}`, `GaussianDpEvent: noise_multiplier = "NaN", want a number > 0`},
		{"infinite", `{"class_name": "EpsilonDeltaDpEvent", "epsilon": "inf", "delta": 0}`, `EpsilonDeltaDpEvent: epsilon = "inf", want a number >= 0`},
		{"boolean", `{"class_name": "LaplaceDpEvent", "noise_multiplier": true}`, `LaplaceDpEvent: noise_multiplier = true, want a number > 0`},
		{"null", `{"class_name": "LaplaceDpEvent", "noise_multiplier": null}`, `LaplaceDpEvent: noise_multiplier = null, want a number > 0`},
		{"list for a number", `{"class_name": "LaplaceDpEvent", "noise_multiplier": [1]}`, `LaplaceDpEvent: noise_multiplier = a list of 1, want a number > 0`},
		{"exponent", `{"class_name": "LaplaceDpEvent", "noise_multiplier": 1e999999999}`, `LaplaceDpEvent: noise_multiplier = 1e999999999, want an exponent of at most 100000 in absolute value`},
		{"zero denominator", `{"class_name": "LaplaceDpEvent", "noise_multiplier": "1/0"}`, `LaplaceDpEvent: noise_multiplier = 1/0, want a denominator other than 0`},
		{"long value", `{"class_name": "LaplaceDpEvent", "noise_multiplier": -1` + strings.Repeat("0", 99) + `}`, `LaplaceDpEvent: noise_multiplier = -1` + strings.Repeat("0", 58) + `…, want > 0`},
		{"missing", `{"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.1}`, `PoissonSampledDpEvent: event is missing, want an event`},
		{"missing number", `{"class_name": "GaussianDpEvent"}`, `GaussianDpEvent: noise_multiplier is missing, want a number > 0`},
		{"unknown field", `{"class_name": "GaussianDpEvent", "sigma": 1}`, `GaussianDpEvent: unknown field "sigma", want noise_multiplier, noise_variance; perhaps noise_multiplier, which is the scale of the noise divided by the sensitivity`},
		{"unknown field, no others", `{"class_name": "NoOpDpEvent", "x": 1}`, `NoOpDpEvent: unknown field "x", want no fields`},
		{"long unknown field", `{"class_name": "NoOpDpEvent", "` + strings.Repeat("x", 100) + `": 1}`, `NoOpDpEvent: unknown field "` + strings.Repeat("x", 60) + `…", want no fields`},
		{"no event", `3`, `event = 3, want a mapping with a class_name`},
		{"no event, nested", `{"class_name": "ComposedDpEvent", "events": ["x"]}`, `event.events[0]: event = "x", want a mapping with a class_name or a short form such as gaussian(1)`},
		{"events no list", `{"class_name": "ComposedDpEvent", "events": {}}`, `ComposedDpEvent: events = a mapping, want a list of events`},
		{"no class", `{"noise_multiplier": 1}`, `class_name is missing, want the name of an event class`},
		{"class no string", `{"class_name": 1}`, `class_name = 1, want the name of an event class`},
		{"class misspelt", `{"class_name": "GausianDpEvent"}`, `class_name = "GausianDpEvent", want a known event class, perhaps GaussianDpEvent`},
		{"class without suffix", `{"class_name": "zcdp"}`, `class_name = "zcdp", want a known event class, perhaps ZCDpEvent`},
		{"class unknown", `{"class_name": "TeapotDpEvent"}`, `class_name = "TeapotDpEvent", want a known event class`},
		{"class long", `{"class_name": "` + strings.Repeat("x", 100) + `"}`, `class_name = "` + strings.Repeat("x", 60) + `…", want a known event class`},
		{"module no string", `{"class_name": "NoOpDpEvent", "module_name": 1}`, `NoOpDpEvent: module_name = 1, want a string`},
		{"unsupported", `{"class_name": "UnsupportedDpEvent", "mean": 1}`, `UnsupportedDpEvent: this class is not supported`},
		{"rows that do not sum up", `{"class_name": "LocalRandomizerEvent", "table": [[0.5, 0.5], [0.5, 0.6]]}`, `LocalRandomizerEvent: sum(table[1]) = 1.1, want exactly 1`},
		{"rows of different lengths", `{"class_name": "LocalRandomizerEvent", "table": [[0.5, 0.5], [1]]}`, `LocalRandomizerEvent: table[1] = a list of 1, want a list of 2, as many as table[0]`},
		{"no table", `{"class_name": "LocalRandomizerEvent", "table": []}`, `LocalRandomizerEvent: table = a list of 0, want a list of lists of probabilities`},
		{"a large table", `{"class_name": "LocalRandomizerEvent", "table": [[1` + strings.Repeat(",0", 4096) + `]]}`, `LocalRandomizerEvent: table = 4097 probabilities, want at most 4096`},
		{"a row that is no list", `{"class_name": "LocalRandomizerEvent", "table": [[0.5, 0.5], 1]}`, `LocalRandomizerEvent: table[1] = 1, want a list of 1 to 4194304 probabilities`},
		{"a negative probability", `{"class_name": "LocalRandomizerEvent", "table": [[1.5, -0.5]]}`, `LocalRandomizerEvent: table[0][1] = -0.5, want >= 0`},
		{"steps that expand", `{"class_name": "LastIterateEvent", "contraction": 1.5, "steps": 9, "noise_multiplier": 2, "batches": 3}`, `LastIterateEvent: contraction = 1.5, want in [0, 1]`},
		{"a point", `{"class_name": "LastIterateEvent", "contraction": 0.5, "steps": 9, "noise_multiplier": 2, "batches": 3, "diameter": 0}`, `LastIterateEvent: diameter = 0, want > 0`},
		{"shuffled reports", `{"class_name": "ShuffledEvent", "reports": 9, "event": {"class_name": "EpsilonDeltaDpEvent", "epsilon": 1, "delta": 0.1}}`, `ShuffledEvent: event = EpsilonDeltaDpEvent with delta > 0, want RandomizedResponseDpEvent, LocalRandomizerEvent, or EpsilonDeltaDpEvent with delta = 0`},
		{"mean of runs", `{"class_name": "RepeatAndSelectDpEvent", "event": {"class_name": "NoOpDpEvent"}, "mean": 0.9, "shape": 1}`, `RepeatAndSelectDpEvent: mean = 0.9, want in [1, 1000000000000]`},
		{"mean of Poisson", `{"class_name": "RepeatAndSelectDpEvent", "event": {"class_name": "NoOpDpEvent"}, "mean": -1, "shape": "inf"}`, `RepeatAndSelectDpEvent: mean = -1, want in [0, 1000000000000]`},
		{"shape", `{"class_name": "RepeatAndSelectDpEvent", "event": {"class_name": "NoOpDpEvent"}, "mean": 2, "shape": -1}`, `RepeatAndSelectDpEvent: shape = -1, want > -1 and <= 1000000000000, or "inf"`},
		{"unsupported, nested", `{"class_name": "SelfComposedDpEvent", "count": 2, "event": {"class_name": "UnsupportedDpEvent"}}`, `event.event: UnsupportedDpEvent: this class is not supported`},
		{"count", `{"class_name": "SelfComposedDpEvent", "count": 1e13, "event": {"class_name": "NoOpDpEvent"}}`, `SelfComposedDpEvent: count = 1e13, want an integer in [1, 1000000000000]`},
		{"count zero", `{"class_name": "SelfComposedDpEvent", "count": 0, "event": {"class_name": "NoOpDpEvent"}}`, `SelfComposedDpEvent: count = 0, want an integer in [1, 1000000000000]`},
		{"count beyond int64", `{"class_name": "SelfComposedDpEvent", "count": 1e30, "event": {"class_name": "NoOpDpEvent"}}`, `SelfComposedDpEvent: count = 1e30, want an integer in [1, 1000000000000]`},
		{"count no integer", `{"class_name": "SelfComposedDpEvent", "count": 1.5, "event": {"class_name": "NoOpDpEvent"}}`, `SelfComposedDpEvent: count = 1.5, want an integer in [1, 1000000000000]`},
		{"count interval", `{"class_name": "SelfComposedDpEvent", "count": {"lo": 1, "hi": 2}, "event": {"class_name": "NoOpDpEvent"}}`, `SelfComposedDpEvent: count = {lo: 1, hi: 2}, want an integer in [1, 1000000000000]`},
		{"allocation", `{"class_name": "RandomAllocationDpEvent", "num_selected": 11, "num_steps": 10, "event": {"class_name": "NoOpDpEvent"}}`, `RandomAllocationDpEvent: num_selected = 11, want an integer in [0, 10]`},
		{"sample", `{"class_name": "SampledWithoutReplacementDpEvent", "source_dataset_size": 10, "sample_size": 11, "event": {"class_name": "NoOpDpEvent"}}`, `SampledWithoutReplacementDpEvent: sample_size = 11, want an integer in [0, 10]`},
		{"buckets", `{"class_name": "RandomizedResponseDpEvent", "noise_parameter": 0.5, "num_buckets": 0}`, `RandomizedResponseDpEvent: num_buckets = 0, want an integer in [1, 1000000000000]`},
		{"discrete sensitivity", `{"class_name": "DiscreteGaussianDpEvent", "sigma": 1, "sensitivity": 1e13}`, `DiscreteGaussianDpEvent: sensitivity = 1e13, want in [0, 1000000000000]`},
		{"dimension", `{"class_name": "DiscreteGaussianDpEvent", "sigma": 1, "dimension": 0}`, `DiscreteGaussianDpEvent: dimension = 0, want an integer in [1, 1000000000000]`},
		{"sum", `{"class_name": "FinitePairEvent", "p": [0.5, 0.4], "q": [0.5, 0.5]}`, `FinitePairEvent: sum(p) = 0.9, want exactly 1`},
		{"sum of nothing", `{"class_name": "FinitePairEvent", "p": [], "q": [1]}`, `FinitePairEvent: p = a list of 0, want a list of numbers >= 0`},
		{"lengths", `{"class_name": "FinitePairEvent", "p": [0.5, 0.5], "q": [1]}`, `FinitePairEvent: q = a list of 1, want a list of 2, as many as p`},
		{"element", `{"class_name": "FinitePairEvent", "p": [1.5, -0.5], "q": [1, 0]}`, `FinitePairEvent: p[1] = -0.5, want >= 0`},
		{"mixture", `{"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": 1, "sensitivities": [-1], "sampling_probs": [1]}`, `MixtureOfGaussiansDpEvent: sensitivities[0] = -1, want >= 0`},
		{"mixture sum", `{"class_name": "MixtureOfGaussiansDpEvent", "standard_deviation": 1, "sensitivities": [1, 2, 3], "sampling_probs": ["1/3", "1/3", "0.3333"]}`, `MixtureOfGaussiansDpEvent: sum(sampling_probs) = 29999/3e4, want exactly 1`},
		{"order", `{"class_name": "ClampedLaplaceEvent", "location": 1, "scale": 1, "shift": 1, "order": "both"}`, `ClampedLaplaceEvent: order = "both", want clamp-then-shift or shift-then-clamp`},
		{"order no string", `{"class_name": "ClampedLaplaceEvent", "location": 1, "scale": 1, "shift": 1, "order": null}`, `ClampedLaplaceEvent: order = null, want clamp-then-shift or shift-then-clamp`},
		{"location", `{"class_name": "ClampedLaplaceEvent", "location": "x", "scale": 1, "shift": 1, "order": "shift-then-clamp"}`, `ClampedLaplaceEvent: location = "x", want a number`},
		{"profile point", `{"class_name": "DominatingPairEvent", "profile": [[0, 1], [1]]}`, `DominatingPairEvent: profile[1] = a list of 1, want [epsilon, delta]`},
		{"profile order", `{"class_name": "DominatingPairEvent", "profile": [[0, 1], [0, 0.5]]}`, `DominatingPairEvent: profile[1][0] = 0, want more than profile[0][0]`},
		{"profile delta", `{"class_name": "DominatingPairEvent", "profile": [[0, 2]]}`, `DominatingPairEvent: profile[0][1] = 2, want in [0, 1]`},
		{"profile missing", `{"class_name": "DominatingPairEvent"}`, `DominatingPairEvent: profile is missing, want a list of [epsilon, delta]`},
		{"point", `{"class_name": "TradeOffEvent", "points": [[0, 1], [1]]}`, `TradeOffEvent: points[1] = a list of 1, want [alpha, beta]`},
		{"point order", `{"class_name": "TradeOffEvent", "points": [[0.1, 0.5], [0.1, 0.4]]}`, `TradeOffEvent: points[1][0] = 0.1, want more than points[0][0]`},
		{"blind test", `{"class_name": "TradeOffEvent", "points": [[0.1, 0.95]]}`, `TradeOffEvent: points[0] = [0.1, 0.95], want beta <= 1 - alpha: a test that ignores the data has that`},
		{"sigma_q", `{"class_name": "GaussianPairEvent", "sigma_p": 1, "sigma_q": 0, "shift": 1}`, `GaussianPairEvent: sigma_q = 0, want > 0`},
		{"orders", `{"class_name": "RenyiCurveEvent", "orders": [2, 1.5], "values": [1, 1]}`, `RenyiCurveEvent: orders[1] = 1.5, want more than orders[0]`},
		{"order 0", `{"class_name": "RenyiCurveEvent", "orders": [0], "values": [1]}`, `RenyiCurveEvent: orders[0] = 0, want > 0`},
		{"interval", `{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 1, "hi": "2"}}`, `GaussianDpEvent: noise_multiplier = {lo: 1, hi: 2}, want a single number > 0`},
		{"no files", `{"class_name": "HistogramPairEvent", "p": "a.csv", "q": "b.csv"}`, `HistogramPairEvent: p = "a.csv", want no file: this input cannot name files`},
		{"file no string", `{"class_name": "HistogramPairEvent", "p": [1], "q": "b.csv"}`, `HistogramPairEvent: p = a list of 1, want the path of a CSV file`},
		{"too deep", nested(64), strings.Repeat("event.", 64) + `event: event = nested 65 deep, want at most 64`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := DecodeEvent([]byte(test.src))
			if err == nil {
				t.Fatalf("got %#v, want an error", e)
			}
			checkErrorText(t, err, test.want)
			var param *ParamError
			var unsupported *UnsupportedError
			switch {
			case errors.As(err, &param) && param.Line == 1:
			case errors.As(err, &unsupported) && unsupported.Line == 1:
			default:
				t.Errorf("error %#v, want a typed one with line 1", err)
			}
		})
	}
	if _, err := DecodeEvent([]byte(nested(63))); err != nil {
		t.Errorf("64 deep: %v", err)
	}
}

func checkErrorText(t *testing.T, err error, want string) {
	t.Helper()
	if got := fmt.Sprint(err); got != "mechanism: "+want {
		t.Errorf("got  %s\nwant mechanism: %s", got, want)
	}
}

func TestDecodeErrorsOfEveryUnsupportedClass(t *testing.T) {
	for _, name := range unsupportedClasses {
		_, err := DecodeEvent([]byte(`{"class_name": "` + name + `"}`))
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Class != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsKnowLineAndPath(t *testing.T) {
	src := `{
  "class_name": "ComposedDpEvent",
  "events": [
    {"class_name": "GaussianDpEvent",
     "noise_multiplier": 0}
  ]
}`
	_, err := Decoder{}.Event(parse(t, src), "claims[2].event")
	want := &ParamError{Path: "claims[2].event.events[0]", Class: "GaussianDpEvent", Field: "noise_multiplier", Value: "0", Want: "> 0", Line: 5}
	var got *ParamError
	if errors.As(err, &got); !cmp.Equal(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	// At the root the path is left out, but the line is there.
	_, err = Decoder{}.Event(parse(t, "\n\n"+`{"class_name": "GaussianDpEvent"}`), "claims[2].event")
	want = &ParamError{Problem: document.Missing, Class: "GaussianDpEvent", Field: "noise_multiplier", Want: "a number > 0", Line: 3}
	if errors.As(err, &got); !cmp.Equal(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	var syntax *document.SyntaxError
	if _, err = DecodeEvent([]byte(`{"class_name": "NoOpDpEvent", "class_name": "NoOpDpEvent"}`)); !errors.As(err, &syntax) {
		t.Errorf("duplicate key in JSON: %v", err)
	}
}

// Trees that do not come from ParseJSON can have what it refuses.
func TestDecodeHandMadeTrees(t *testing.T) {
	text := func(s string) *document.Node { return &document.Node{Kind: document.String, Text: s} }
	twice := &document.Node{Kind: document.Mapping, Entries: []document.Entry{
		{Key: "class_name", Value: text("GaussianDpEvent")}, {Key: "noise_multiplier", Value: text("1"), Line: 2}, {Key: "noise_multiplier", Value: text("2"), Line: 3}}}
	_, err := Decoder{}.Event(twice, "event")
	checkErrorText(t, err, "GaussianDpEvent: noise_multiplier is given more than once")
	var param *ParamError
	if !errors.As(err, &param) || param.Problem != document.Duplicate || param.Line != 3 {
		t.Errorf("got %#v", err)
	}
	_, err = Decoder{}.Event(nil, "event")
	checkErrorText(t, err, "event = nothing, want a mapping with a class_name")
	_, err = Decoder{}.Event(&document.Node{Kind: document.Mapping, Entries: []document.Entry{{Key: "class_name"}}}, "event")
	checkErrorText(t, err, "class_name is missing, want the name of an event class")
	empty := &document.Node{Kind: document.Mapping, Entries: []document.Entry{{Key: "class_name", Value: text("DominatingPairEvent")},
		{Key: "profile", Value: &document.Node{Kind: document.Sequence, Items: []*document.Node{nil}}}}}
	_, err = Decoder{}.Event(empty, "event")
	checkErrorText(t, err, "DominatingPairEvent: profile[0] = nothing, want [epsilon, delta]")
	python := &document.Node{Kind: document.Mapping, Entries: []document.Entry{
		{Key: "class_name", Value: text("GaussianDpEvent")}, {Key: "noise_multiplier", Value: &document.Node{Kind: document.Number, Text: ".nan"}}}}
	_, err = Decoder{}.Event(python, "event")
	checkErrorText(t, err, `GaussianDpEvent: noise_multiplier = ".nan", want a number > 0`)
}

func TestDecodeBinary64(t *testing.T) {
	d := Decoder{Binary64: true}
	e, err := d.Event(parse(t, `{"class_name": "GaussianDpEvent", "noise_multiplier": 0.1}`), "event")
	if err != nil {
		t.Fatal(err)
	}
	if want := (Gaussian{NoiseMultiplier: testkit.Rat("3602879701896397/36028797018963968")}); !Equal(e, want) {
		t.Errorf("got %s, want %s", EncodeEvent(e), EncodeEvent(want))
	}
	// Integers are not rounded.
	e, err = d.Event(parse(t, `{"class_name": "SelfComposedDpEvent", "count": 999999999999, "event": {"class_name": "NoOpDpEvent"}}`), "event")
	if err != nil || e.(SelfComposed).Count != 999999999999 {
		t.Errorf("got %v, %v", e, err)
	}
	for _, test := range []struct{ src, want string }{
		{`{"class_name": "FinitePairEvent", "p": [0.1, 0.2, 0.7], "q": [1, 0, 0]}`,
			`FinitePairEvent: sum(p) = 0.9999999999999999722444243843710864894092082977294921875, want exactly 1 (each number was rounded to binary64 first)`},
		{`{"class_name": "GaussianDpEvent", "noise_multiplier": 1e-400}`, `GaussianDpEvent: noise_multiplier = 1e-400, want > 0 after rounding to binary64`},
		{`{"class_name": "GaussianDpEvent", "noise_multiplier": -1}`, `GaussianDpEvent: noise_multiplier = -1, want > 0`},
		{`{"class_name": "GaussianDpEvent", "noise_multiplier": 1e400}`, `GaussianDpEvent: noise_multiplier = 1e400, want a number in the range of binary64`},
	} {
		_, err := d.Event(parse(t, test.src), "event")
		checkErrorText(t, err, test.want)
	}
}

func TestEventRangeTakesTheCorners(t *testing.T) {
	const interval = `{"lo": "0.25", "hi": "0.5"}`
	noOp := `{"class_name": "NoOpDpEvent"}`
	lo, hi := testkit.Rat("1/4"), testkit.Rat("1/2")
	one := big.NewRat(1, 1)
	tests := []struct {
		src              string
		private, exposed Event
	}{
		{`{"class_name": "GaussianDpEvent", "noise_multiplier": ` + interval + `}`, Gaussian{NoiseMultiplier: hi}, Gaussian{NoiseMultiplier: lo}},
		{`{"class_name": "LaplaceDpEvent", "noise_multiplier": ` + interval + `}`, Laplace{hi}, Laplace{lo}},
		{`{"class_name": "RandomizedResponseDpEvent", "num_buckets": 2, "noise_parameter": ` + interval + `}`, RandomizedResponse{hi, 2}, RandomizedResponse{lo, 2}},
		{`{"class_name": "EpsilonDeltaDpEvent", "epsilon": ` + interval + `, "delta": ` + interval + `}`, EpsilonDelta{lo, lo}, EpsilonDelta{hi, hi}},
		{`{"class_name": "DiscreteLaplaceDpEvent", "sensitivity": 1, "noise_parameter": ` + interval + `}`, DiscreteLaplace{lo, 1}, DiscreteLaplace{hi, 1}},
		{`{"class_name": "DiscreteGaussianDpEvent", "sigma": 1, "sensitivity": ` + interval + `}`, DiscreteGaussian{Sigma: one, Sensitivity: lo, Dimension: 0}, DiscreteGaussian{Sigma: one, Sensitivity: hi, Dimension: 0}},
		{`{"class_name": "ZCDpEvent", "rho": ` + interval + `, "xi": ` + interval + `}`, ZCDP{lo, lo}, ZCDP{hi, hi}},
		{`{"class_name": "ExponentialMechanismDpEvent", "epsilon": ` + interval + `}`, ExponentialMechanism{lo}, ExponentialMechanism{hi}},
		{`{"class_name": "PermuteAndFlipDpEvent", "epsilon": ` + interval + `}`, PermuteAndFlip{lo}, PermuteAndFlip{hi}},
		{`{"class_name": "MixtureOfGaussiansDpEvent", "sensitivities": [1], "sampling_probs": [1], "standard_deviation": ` + interval + `}`,
			MixtureOfGaussians{hi, []*big.Rat{one}, []*big.Rat{one}}, MixtureOfGaussians{lo, []*big.Rat{one}, []*big.Rat{one}}},
		{`{"class_name": "PoissonSampledDpEvent", "event": ` + noOp + `, "sampling_probability": ` + interval + `}`, PoissonSampled{lo, NoOp{}}, PoissonSampled{hi, NoOp{}}},
		{`{"class_name": "RenyiCurveEvent", "orders": [2, 3], "values": [` + interval + `, 1]}`,
			RenyiCurve{[]*big.Rat{big.NewRat(2, 1), big.NewRat(3, 1)}, []*big.Rat{lo, one}}, RenyiCurve{[]*big.Rat{big.NewRat(2, 1), big.NewRat(3, 1)}, []*big.Rat{hi, one}}},
		{`{"class_name": "DominatingPairEvent", "profile": [[1, ` + interval + `]]}`, DominatingPair{[]ProfilePoint{{one, lo}}}, DominatingPair{[]ProfilePoint{{one, hi}}}},
		{`{"class_name": "TruncatedGaussianEvent", "sigma": 1, "radius": 1, "sensitivity": ` + interval + `}`, Truncated{GaussianNoise, one, lo, one}, Truncated{GaussianNoise, one, hi, one}},
		{`{"class_name": "TruncatedLaplaceEvent", "scale": 1, "radius": 1, "sensitivity": ` + interval + `}`, Truncated{LaplaceNoise, one, lo, one}, Truncated{LaplaceNoise, one, hi, one}},
		{`{"class_name": "AdditiveNoiseEvent", "probabilities": [1], "cell": 1, "kind": "lattice", "sensitivity": ` + interval + `}`,
			AdditiveNoise{"", "", []*big.Rat{one}, one, lo, Lattice}, AdditiveNoise{"", "", []*big.Rat{one}, one, hi, Lattice}},
		{`{"class_name": "SelfComposedDpEvent", "count": 2, "event": {"class_name": "PoissonSampledDpEvent", "sampling_probability": ` + interval + `, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": ` + interval + `}}}`,
			SelfComposed{PoissonSampled{lo, Gaussian{NoiseMultiplier: hi}}, 2}, SelfComposed{PoissonSampled{hi, Gaussian{NoiseMultiplier: lo}}, 2}},
		{`{"class_name": "GaussianDpEvent", "noise_multiplier": 1}`, Gaussian{NoiseMultiplier: one}, Gaussian{NoiseMultiplier: one}},
		{`{"class_name": "ComposedDpEvent", "events": [{"class_name": "HistogramPairEvent", "p": "p.csv", "q": "p.csv"}, {"class_name": "GaussianDpEvent", "noise_multiplier": ` + interval + `}]}`,
			Composed{[]Event{HistogramPair{"p.csv", "p.csv", []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4)}, []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4)}}, Gaussian{NoiseMultiplier: hi}}},
			Composed{[]Event{HistogramPair{"p.csv", "p.csv", []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4)}, []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4)}}, Gaussian{NoiseMultiplier: lo}}}},
	}
	for _, test := range tests {
		both, err := Decoder{Open: testFiles}.EventRange(parse(t, test.src), "event")
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		if diff := cmp.Diff(test.private, both.MorePrivate, compareRats); diff != "" {
			t.Errorf("%s, more private (-want +got):\n%s", test.src, diff)
		}
		if diff := cmp.Diff(test.exposed, both.LessPrivate, compareRats); diff != "" {
			t.Errorf("%s, less private (-want +got):\n%s", test.src, diff)
		}
	}
}

func TestEventRangeErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"reversed", `{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 2, "hi": 1}}`, `GaussianDpEvent: noise_multiplier = {lo: 2, hi: 1}, want lo <= hi`},
		{"lower end outside", `{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 0, "hi": 1}}`, `GaussianDpEvent: noise_multiplier.lo = 0, want > 0`},
		{"upper end outside", `{"class_name": "EpsilonDeltaDpEvent", "epsilon": 1, "delta": {"lo": 0, "hi": 2}}`, `EpsilonDeltaDpEvent: delta.hi = 2, want in [0, 1]`},
		{"end no number", `{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 1, "hi": "inf"}}`, `GaussianDpEvent: noise_multiplier.hi = "inf", want a number > 0`},
		{"one end", `{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 1}}`, `GaussianDpEvent: noise_multiplier = a mapping, want a number > 0 or {lo, hi}`},
		{"third key", `{"class_name": "GaussianDpEvent", "noise_multiplier": {"lo": 1, "hi": 2, "mid": 1}}`, `GaussianDpEvent: noise_multiplier = {lo: 1, hi: 2}, want a number > 0 or {lo, hi}`},
		{"not monotone", `{"class_name": "DiscreteGaussianDpEvent", "sigma": {"lo": 1, "hi": 2}}`, `DiscreteGaussianDpEvent: sigma = {lo: 1, hi: 2}, want a single number > 0`},
		{"in a distribution", `{"class_name": "FinitePairEvent", "p": [{"lo": 0, "hi": 1}], "q": [1]}`, `FinitePairEvent: p[0] = {lo: 0, hi: 1}, want a single number >= 0`},
		{"any real", `{"class_name": "ClampedLaplaceEvent", "location": {"lo": 0, "hi": 1}, "scale": 1, "shift": 1, "order": "clamp-then-shift"}`, `ClampedLaplaceEvent: location = {lo: 0, hi: 1}, want a single number`},
		{"integer", `{"class_name": "BinomialEvent", "trials": {"lo": 1, "hi": 2}, "probability": 0.5, "sensitivity": 1}`, `BinomialEvent: trials = {lo: 1, hi: 2}, want an integer in [1, 1000000]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Decoder{}.EventRange(parse(t, test.src), "event")
			checkErrorText(t, err, test.want)
		})
	}
}

// Many short texts that mean huge numbers are refused before memory is spent.
func TestDecodeBoundsTheDigitsOfAllNumbers(t *testing.T) {
	testkit.SkipUsual(t, "it reads 134 million digits")
	src := `{"class_name": "RenyiCurveEvent", "orders": [` + strings.Repeat("1e99999, ", 1343) + `2], "values": [1]}`
	_, err := DecodeEvent([]byte(src))
	checkErrorText(t, err, "RenyiCurveEvent: orders[1342] = 1e99999, want at most 134217728 digits in all numbers together")
}
