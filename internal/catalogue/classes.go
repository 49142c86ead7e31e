// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package catalogue describes the classes of events for people: their fields, the relations under
// which they are defined, how they are bounded, and an example of each.
package catalogue

import (
	"slices"

	"dpverify/mechanism"
)

// A class describes a class of events for people. The tests compare it with what
// the engine does.
type class struct {
	name      string
	fields    []string // optional ones end in ?
	relations []mechanism.Relation
	bound     string
	example   string // defined under all the relations
}

var (
	allRelations = []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial}
	replacing    = []mechanism.Relation{mechanism.ReplaceOne, mechanism.ReplaceSpecial}
	counted      = []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne}
	replaceOne   = []mechanism.Relation{mechanism.ReplaceOne}
	oneSided     = []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial}
)

// classes are the classes that events can have, in the order of package mechanism.
var classes = inOrder([]class{
	{"NoOpDpEvent", nil, allRelations, "nothing is released",
		`{"class_name":"NoOpDpEvent"}`},
	{"NonPrivateDpEvent", nil, allRelations, "everything is released: δ(ε) = 1",
		`{"class_name":"NonPrivateDpEvent"}`},
	{"GaussianDpEvent", []string{"noise_multiplier"}, allRelations, "closed form; any composition of Gaussians is one Gaussian",
		`{"class_name":"GaussianDpEvent","noise_multiplier":"1"}`},
	{"LaplaceDpEvent", []string{"noise_multiplier"}, allRelations, "closed form; a moderate number of equal ones by a finite sum",
		`{"class_name":"LaplaceDpEvent","noise_multiplier":"1"}`},
	{"RandomizedResponseDpEvent", []string{"noise_parameter", "num_buckets"}, replacing, "finite pair, exactly",
		`{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":4}`},
	{"EpsilonDeltaDpEvent", []string{"epsilon", "delta"}, allRelations, "worst case of the guarantee, exactly: approximate randomized response",
		`{"class_name":"EpsilonDeltaDpEvent","epsilon":"1","delta":"1e-5"}`},
	{"DiscreteLaplaceDpEvent", []string{"noise_parameter", "sensitivity"}, allRelations, "closed form; compositions by masses on a lattice",
		`{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":"0.5","sensitivity":1}`},
	{"DiscreteGaussianDpEvent", []string{"sigma", "sensitivity?", "dimension?"}, allRelations, "masses on a lattice, with certified tails; the worst shift of each entry of a vector, exactly for one release",
		`{"class_name":"DiscreteGaussianDpEvent","sigma":"2","sensitivity":1}`},
	{"ZCDpEvent", []string{"rho", "xi?"}, allRelations, "worst case of the guarantee: above by conversion, below by mechanisms that satisfy it; a gap remains",
		`{"class_name":"ZCDpEvent","rho":"0.5"}`},
	{"ExponentialMechanismDpEvent", []string{"epsilon"}, allRelations, "closed form for one release; compositions above by logistic noise and zCDP, below by choices of two candidates",
		`{"class_name":"ExponentialMechanismDpEvent","epsilon":"1"}`},
	{"PermuteAndFlipDpEvent", []string{"epsilon"}, allRelations, "closed form for one release; compositions above by Laplace noise, below by choices of two candidates",
		`{"class_name":"PermuteAndFlipDpEvent","epsilon":"1"}`},
	{"MixtureOfGaussiansDpEvent", []string{"standard_deviation", "sensitivities", "sampling_probs"}, oneSided, "closed form",
		`{"class_name":"MixtureOfGaussiansDpEvent","standard_deviation":"1","sensitivities":["0","1"],"sampling_probs":["0.9","0.1"]}`},
	{"SelfComposedDpEvent", []string{"event", "count"}, allRelations, "the product of the pairs; every method that applies to it",
		`{"class_name":"SelfComposedDpEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"},"count":10}`},
	{"ComposedDpEvent", []string{"events"}, allRelations, "the product of the pairs; every method that applies to it",
		`{"class_name":"ComposedDpEvent","events":[{"class_name":"GaussianDpEvent","noise_multiplier":"1"},{"class_name":"LaplaceDpEvent","noise_multiplier":"1"}]}`},
	{"PoissonSampledDpEvent", []string{"sampling_probability", "event"}, allRelations, "amplification of the event's profile; under REPLACE_ONE of a Gaussian or a guarantee only",
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}}`},
	{"SampledWithoutReplacementDpEvent", []string{"source_dataset_size", "sample_size", "event"}, counted, "amplification of the profile that the event has where a record is replaced, of a self-dual event only",
		`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":1000,"sample_size":10,"event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}}`},
	{"SingleEpochTreeAggregationDpEvent", []string{"noise_multiplier", "step_counts"}, replacing, "closed form: a Gaussian",
		`{"class_name":"SingleEpochTreeAggregationDpEvent","noise_multiplier":"4","step_counts":[1000,500]}`},
	{"SampledWithReplacementDpEvent", []string{"source_dataset_size", "sample_size", "event"}, replacing, "of Gaussian and Laplace noise: above by groups of copies of the record, below by other records that are equal; a gap remains, of Gaussian noise under REPLACE_ONE next to none",
		`{"class_name":"SampledWithReplacementDpEvent","source_dataset_size":1000,"sample_size":10,"event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}}`},
	{"TruncatedSubsampledGaussianDpEvent", []string{"dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier"}, allRelations, "above by the worst places of two others, below by other records that are null, or opposite; a gap remains",
		`{"class_name":"TruncatedSubsampledGaussianDpEvent","dataset_size":4,"sampling_probability":"0.5","truncated_batch_size":2,"noise_multiplier":"1"}`},
	{"RandomAllocationDpEvent", []string{"event", "num_selected", "num_steps"}, oneSided, "convex order, of one step of any number, for one event that is known in full; of more steps blocks above and post-processing below, a gap remains",
		`{"class_name":"RandomAllocationDpEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"},"num_selected":1,"num_steps":100}`},
	{"RepeatAndSelectDpEvent", []string{"event", "mean", "shape"}, allRelations, "the best of a random number of runs: above by the places that outputs may have in an order, below by orders; a gap remains",
		`{"class_name":"RepeatAndSelectDpEvent","mean":10,"shape":1,"event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"}}`},
	{"FinitePairEvent", []string{"p", "q"}, allRelations, "finite pair, exactly",
		`{"module_name":"dpverify","class_name":"FinitePairEvent","p":["3/4","1/4"],"q":["1/4","3/4"]}`},
	{"HistogramPairEvent", []string{"p", "q"}, allRelations, "finite pair, exactly, from two CSV files",
		`{"module_name":"dpverify","class_name":"HistogramPairEvent","p":"p.csv","q":"q.csv"}`},
	{"TruncatedGaussianEvent", []string{"sigma", "sensitivity", "radius"}, allRelations, "closed form",
		`{"module_name":"dpverify","class_name":"TruncatedGaussianEvent","sigma":"1","sensitivity":"1","radius":"5"}`},
	{"TruncatedLaplaceEvent", []string{"scale", "sensitivity", "radius"}, allRelations, "closed form",
		`{"module_name":"dpverify","class_name":"TruncatedLaplaceEvent","scale":"1","sensitivity":"1","radius":"5"}`},
	{"ClampedLaplaceEvent", []string{"location", "scale", "shift", "order"}, allRelations, "closed form",
		`{"module_name":"dpverify","class_name":"ClampedLaplaceEvent","location":"20","scale":"4","shift":"2","order":"clamp-then-shift"}`},
	{"ClampedGaussianEvent", []string{"location", "sigma", "shift", "order"}, allRelations, "closed form",
		`{"module_name":"dpverify","class_name":"ClampedGaussianEvent","location":"10","sigma":"4","shift":"2","order":"clamp-then-shift"}`},
	{"GaussianPairEvent", []string{"sigma_p", "sigma_q", "shift"}, allRelations, "closed form; compositions by grids",
		`{"module_name":"dpverify","class_name":"GaussianPairEvent","sigma_p":"1.2","sigma_q":"1","shift":"0.5"}`},
	{"ThresholdedNoiseEvent", []string{"event", "threshold", "keys"}, oneSided, "noise or a key that shows up, whichever is worse: exactly for up to 16 keys released once; compositions above by the pair of the greater profile, below by fixed choices",
		`{"module_name":"dpverify","class_name":"ThresholdedNoiseEvent","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"2"},"threshold":"30","keys":1}`},
	{"GroupEvent", []string{"event", "size"}, allRelations, "noise at size times the distance; a Poisson sample of Gaussian noise as a mixture; (epsilon, delta) exactly, other guarantees by group privacy",
		`{"module_name":"dpverify","class_name":"GroupEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"},"size":3}`},
	{"MaximumEvent", []string{"events"}, allRelations, "the worst of several mechanisms, of which an adversary runs one: exactly alone; compositions above by the pair of the greatest profile, below by fixed choices",
		`{"module_name":"dpverify","class_name":"MaximumEvent","events":[{"class_name":"GaussianDpEvent","noise_multiplier":"2"},{"class_name":"LaplaceDpEvent","noise_multiplier":"2"}]}`},
	{"MatrixMechanismEvent", []string{"strategy", "min_separation", "max_participations", "noise_multiplier"}, allRelations, "a Gaussian, with the sensitivity of the strategy in exact rationals; where no form of it is known, above and below apart",
		`{"module_name":"dpverify","class_name":"MatrixMechanismEvent","strategy":{"toeplitz":["1","0.5","0.25"],"steps":100},"min_separation":10,"max_participations":5,"noise_multiplier":"4"}`},
	{"ShuffledEvent", []string{"reports", "event"}, replaceOne, "local reports, shuffled: above by clones of the record, below by a count of reports; a gap remains",
		`{"module_name":"dpverify","class_name":"ShuffledEvent","reports":1000,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":"1","delta":0}}`},
	{"BinomialEvent", []string{"trials", "probability", "sensitivity"}, allRelations, "finite pair",
		`{"module_name":"dpverify","class_name":"BinomialEvent","trials":100,"probability":"0.5","sensitivity":1}`},
	{"AdditiveNoiseEvent", []string{"probabilities", "sha256?", "cell", "sensitivity", "kind?"}, allRelations, "finite pair, exactly: of the worst shift if the noise falls on both sides, otherwise of each",
		`{"module_name":"dpverify","class_name":"AdditiveNoiseEvent","probabilities":["0.05","0.2","0.25","0.25","0.2","0.05"],"cell":"1","sensitivity":"1"}`},
	{"DominatingPairEvent", []string{"profile"}, allRelations, "worst case of the guarantee: the convex hull of the points",
		`{"module_name":"dpverify","class_name":"DominatingPairEvent","profile":[["0","0.3"],["1","0.1"],["2","0.01"]]}`},
	{"TradeOffEvent", []string{"points"}, allRelations, "worst case of f-DP in both orientations, f linear between the points: a finite pair, exactly",
		`{"module_name":"dpverify","class_name":"TradeOffEvent","points":[["0.1","0.6"],["0.3","0.3"],["0.6","0.1"]]}`},
	{"RenyiCurveEvent", []string{"orders", "values"}, allRelations, "worst case of the guarantee: above by conversion, below by mechanisms that satisfy it; a gap remains",
		`{"module_name":"dpverify","class_name":"RenyiCurveEvent","orders":["2","8"],"values":["0.5","2"]}`},
})

// Example returns the example of a class, and a relation under which it is defined.
func Example(name string) (event string, relation mechanism.Relation, ok bool) {
	i := slices.IndexFunc(classes, func(c class) bool { return c.name == name })
	if i < 0 {
		return "", 0, false
	}
	return classes[i].example, classes[i].relations[0], true
}

// inOrder sorts classes as package mechanism lists them, and panics unless they are the same.
func inOrder(described []class) []class {
	var out []class
	for _, name := range mechanism.ClassNames() {
		i := slices.IndexFunc(described, func(c class) bool { return c.name == name })
		if i < 0 {
			panic("verify: internal error: " + name + " is not described")
		}
		out = append(out, described[i])
	}
	if len(out) != len(described) {
		panic("verify: internal error: a class is described that is none")
	}
	return out
}

// refusedClasses are the classes that the engine knows and does not bound.
var refusedClasses = []string{
	"UnsupportedDpEvent",
}
