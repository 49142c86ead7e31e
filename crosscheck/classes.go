// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact"
	"dpverify/float"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A classCase asks the exact engine about an event of a class, and the float64 engine about the same event, or about
// another one of which the answer is known to be the same, or at most as large.
type classCase struct {
	class    string
	relation mechanism.Relation
	eps      string
	event    string
	other    string // the event itself if empty
	atMost   bool   // other is one of the mechanisms that the event stands for
}

const (
	gauss2   = `{"class_name":"GaussianDpEvent","noise_multiplier":2}`
	laplace2 = `{"class_name":"LaplaceDpEvent","noise_multiplier":2}`
	tenth    = "0.1"
	coin     = `{"class_name":"FinitePairEvent","p":["3/4","1/4"],"q":["1/4","3/4"]}`
)

// classCases has the classes of which the float64 engine knows another event than the exact one, and those of which the
// example in the help says little. Why two events are the same:
//
//   - A Poisson sample of Gaussian noise is a mixture with the sensitivities 0 and 1, and a pair of one moved by any
//     number.
//   - Noise that is clamped at 0 after the shift, and with a threshold that no test of that ε looks at, is the noise;
//     so is a released count whose key nobody is likely to see.
//   - One draw with replacement is one without, which the bounds for more have between them; a batch of all records is
//     not cut.
//   - A finite pair is written out: the masses of a binomial law; for one of two steps (p⊗q + q⊗p)/2 against q⊗q; for
//     the best of a geometric number of runs, of mean 2, with x ↦ x/(2−x) for the distribution function.
//   - Permute-and-flip with parameter 1 is as Laplace noise of scale 1, in one round. (0, 0.3)-DP is a point of a
//     profile, and two of a trade-off function.
//   - Gaussian noise of μ = 1/2 has ρ = 1/8 and the Rényi divergence 1/4 of order 2; with two candidates the
//     exponential mechanism of ε = 1 is randomized response of ε = 1/2.
var classCases = []classCase{
	{class: "NoOpDpEvent", eps: "-1", event: `{"class_name":"NoOpDpEvent"}`},
	{class: "NonPrivateDpEvent", eps: tenth, event: `{"class_name":"NonPrivateDpEvent"}`},
	{class: "ZCDpEvent", eps: tenth, event: `{"class_name":"ZCDpEvent","rho":"1/8"}`, other: gauss2, atMost: true},
	{class: "ExponentialMechanismDpEvent", eps: tenth,
		event: `{"class_name":"ExponentialMechanismDpEvent","epsilon":1}`,
		other: `{"class_name":"EpsilonDeltaDpEvent","epsilon":"1/2","delta":0}`, atMost: true},
	{class: "PermuteAndFlipDpEvent", eps: tenth, event: `{"class_name":"PermuteAndFlipDpEvent","epsilon":1}`,
		other: `{"class_name":"LaplaceDpEvent","noise_multiplier":1}`},
	{class: "MixtureOfGaussiansDpEvent", eps: tenth,
		event: `{"class_name":"MixtureOfGaussiansDpEvent","standard_deviation":2,"sensitivities":[0,1],"sampling_probs":["0.5","0.5"]}`,
		other: `{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.5","event":` + gauss2 + `}`},
	{class: "SampledWithReplacementDpEvent", relation: mechanism.ReplaceOne, eps: tenth,
		event: `{"class_name":"SampledWithReplacementDpEvent","source_dataset_size":4,"sample_size":1,"event":` +
			laplace2 + `}`,
		other: `{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":4,"sample_size":1,"event":` +
			laplace2 + `}`, atMost: true},
	{class: "TruncatedSubsampledGaussianDpEvent", eps: tenth,
		event: `{"class_name":"TruncatedSubsampledGaussianDpEvent","dataset_size":4,"sampling_probability":"0.5","truncated_batch_size":4,"noise_multiplier":2}`,
		other: `{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.5","event":` + gauss2 + `}`},
	{class: "RandomAllocationDpEvent", eps: tenth,
		event: `{"class_name":"RandomAllocationDpEvent","num_selected":1,"num_steps":2,"event":` + coin + `}`,
		other: `{"class_name":"FinitePairEvent","p":["3/16","5/16","5/16","3/16"],"q":["1/16","3/16","3/16","9/16"]}`},
	{class: "ShuffledBatchesEvent", relation: mechanism.ReplaceSpecial, eps: tenth,
		event: `{"class_name":"ShuffledBatchesEvent","batches":2,"event":` + gauss2 + `}`,
		other: `{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.5","event":` + gauss2 + `}`, atMost: true},
	{class: "RepeatAndSelectDpEvent", eps: tenth,
		event: `{"class_name":"RepeatAndSelectDpEvent","mean":2,"shape":1,"event":` + coin + `}`,
		other: `{"class_name":"FinitePairEvent","p":["6/7","1/7"],"q":["2/5","3/5"]}`, atMost: true},
	{class: "ClampedLaplaceEvent", eps: tenth,
		event: `{"class_name":"ClampedLaplaceEvent","location":20,"scale":4,"shift":2,"order":"shift-then-clamp"}`,
		other: laplace2},
	{class: "ClampedGaussianEvent", eps: tenth,
		event: `{"class_name":"ClampedGaussianEvent","location":20,"sigma":4,"shift":2,"order":"shift-then-clamp"}`,
		other: gauss2},
	{class: "GaussianPairEvent", eps: tenth, event: `{"class_name":"GaussianPairEvent","sigma_p":2,"sigma_q":2,"shift":1}`,
		other: gauss2},
	{class: "GaussianMixturePairEvent", eps: tenth,
		event: `{"class_name":"GaussianMixturePairEvent","standard_deviation":2,"p":[["0.5",3],["0.5",4]],"q":[[1,3]]}`,
		other: `{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.5","event":` + gauss2 + `}`},
	{class: "ThresholdedNoiseEvent", eps: tenth,
		event: `{"class_name":"ThresholdedNoiseEvent","threshold":100,"keys":1,"event":` + laplace2 + `}`, other: laplace2},
	{class: "MaximumEvent", eps: tenth,
		event: `{"class_name":"MaximumEvent","events":[{"class_name":"LaplaceDpEvent","noise_multiplier":20},` + gauss2 +
			`]}`, other: gauss2},
	{class: "MeanOfEvents", eps: tenth,
		event: `{"class_name":"MeanOfEvents","probabilities":["1/3","2/3"],"events":[` + coin +
			`,{"class_name":"FinitePairEvent","p":["1/2","1/2"],"q":["1/4","3/4"]}]}`,
		other: `{"class_name":"FinitePairEvent","p":["1/4","1/12","1/3","1/3"],"q":["1/12","1/4","1/6","1/2"]}`},
	{class: "MatrixMechanismEvent", eps: tenth,
		event: `{"class_name":"MatrixMechanismEvent","strategy":{"toeplitz":[1,"0.5"],"steps":9},"min_separation":3,"max_participations":2,"noise_multiplier":4}`},
	{class: "LocalRandomizerEvent", relation: mechanism.ReplaceOne, eps: tenth,
		event: `{"class_name":"LocalRandomizerEvent","table":[["3/4","1/4"],["1/4","3/4"]]}`,
		other: `{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":2}`},
	{class: "ShuffledEvent", relation: mechanism.ReplaceOne, eps: tenth,
		event: `{"class_name":"ShuffledEvent","reports":1,"event":{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":2}}`,
		other: `{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":2}`},
	{class: "LastIterateEvent", eps: tenth,
		event: `{"class_name":"LastIterateEvent","contraction":1,"steps":4,"noise_multiplier":4,"batches":1}`,
		other: gauss2},
	{class: "BinomialEvent", eps: tenth,
		event: `{"class_name":"BinomialEvent","trials":3,"probability":"1/2","sensitivity":1}`,
		other: `{"class_name":"FinitePairEvent","p":["1/8","3/8","3/8","1/8",0],"q":[0,"1/8","3/8","3/8","1/8"]}`},
	{class: "DominatingPairEvent", eps: "0", event: `{"class_name":"DominatingPairEvent","profile":[[0,"0.3"]]}`,
		other: `{"class_name":"EpsilonDeltaDpEvent","epsilon":0,"delta":"0.3"}`},
	{class: "TradeOffEvent", eps: tenth, event: `{"class_name":"TradeOffEvent","points":[[0,"0.7"],["0.7",0]]}`,
		other: `{"class_name":"EpsilonDeltaDpEvent","epsilon":0,"delta":"0.3"}`},
	{class: "RenyiCurveEvent", eps: tenth, event: `{"class_name":"RenyiCurveEvent","orders":[2],"values":["1/4"]}`,
		other: gauss2, atMost: true},
}

// A ClassViolation says that an event and another one that is known to be the same, or one of its mechanisms, have
// answers that exclude each other.
type ClassViolation struct {
	Class, Event, Other, Eps string
	Relation                 mechanism.Relation
	Exact                    exact.Result
	Float                    float.Answer
}

func (v *ClassViolation) Error() string {
	lo, hi := v.Exact.Decimal(17)
	return fmt.Sprintf("%s: δ(%s) of %s under %s is in [%s, %s] by the exact engine, and of %s it is %.17g ± %.3g in "+
		"float64", v.Class, v.Eps, v.Event, v.Relation, lo, hi, v.Other, v.Float.V, v.Float.Err)
}

// Classes compares an answer of the exact engine about each class of events with one of the float64 engine, where need
// be about another event of which it is known to be the same. The error is a *ClassViolation, about the engine, or
// ctx's; what was compared is returned with it.
func Classes(ctx context.Context) (map[string]Verdict, error) {
	out := make(map[string]Verdict)
	for _, c := range allCases() {
		v, err := c.compare(ctx)
		if err != nil {
			return out, err
		}
		out[c.class] = v
	}
	return out, nil
}

// inFiles are the classes of which the example is in files.
var inFiles = []string{"HistogramPairEvent"}

// allCases returns a case for each class whose events need no file: the one of classCases, or the example of the help.
func allCases() []classCase {
	var out []classCase
	for _, d := range mechanism.Descriptions() {
		i := slices.IndexFunc(classCases, func(c classCase) bool { return c.class == d.Class })
		if i >= 0 {
			out = append(out, classCases[i])
		} else if !slices.Contains(inFiles, d.Class) {
			out = append(out, classCase{class: d.Class, relation: d.Relations[0], eps: tenth, event: d.Example})
		}
	}
	return out
}

func (c classCase) compare(ctx context.Context) (Verdict, error) {
	eps, err := number.Parse(c.eps)
	if err != nil {
		return Inconclusive, err
	}
	text := c.other
	if text == "" {
		text = c.event
	}
	event, err := mechanism.DecodeEvent([]byte(c.event))
	if err != nil {
		return Inconclusive, err
	}
	other, err := mechanism.DecodeEvent([]byte(text))
	if err != nil {
		return Inconclusive, err
	}
	fast, err := prepare(ctx, exact.Question{Event: other, Relation: c.relation})
	if err != nil {
		return Inconclusive, err
	}
	v := &ClassViolation{Class: c.class, Event: c.event, Other: text, Eps: c.eps, Relation: c.relation}
	if v.Float, err = fast.Delta(ctx, eps); err != nil {
		return Inconclusive, err
	}
	if v.Exact, err = exact.Delta(ctx, exact.Question{Event: event, Relation: c.relation}, eps, 0); err != nil {
		return Inconclusive, err
	}
	verdict := judge(v.Exact.Lo(), v.Exact.Hi(), v.Float.Value)
	if c.atMost {
		verdict = judge(v.Exact.Hi(), v.Exact.Hi(), v.Float.Value)
		if verdict == Refuted && v.Exact.Hi().Cmp(big.NewFloat(v.Float.V)) >= 0 {
			verdict = Proved // above, as it has to be
		}
	}
	if verdict == Refuted {
		return verdict, v
	}
	return verdict, nil
}
