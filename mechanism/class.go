// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "slices"

// A class says how the events of one class_name are read.
type class struct {
	name   string
	fields []string
	decode func(*reader) Event
}

// classes are all of them.
var classes = []class{
	{"NoOpDpEvent", nil, decodeNoOp},
	{"NonPrivateDpEvent", nil, decodeNonPrivate},
	{"GaussianDpEvent", []string{"noise_multiplier"}, decodeGaussian},
	{"LaplaceDpEvent", []string{"noise_multiplier"}, decodeLaplace},
	{"RandomizedResponseDpEvent", []string{"noise_parameter", "num_buckets"}, decodeRandomizedResponse},
	{"EpsilonDeltaDpEvent", []string{"epsilon", "delta"}, decodeEpsilonDelta},
	{"DiscreteLaplaceDpEvent", []string{"noise_parameter", "sensitivity"}, decodeDiscreteLaplace},
	{"DiscreteGaussianDpEvent", []string{"sigma", "sensitivity", "dimension"}, decodeDiscreteGaussian},
	{"ZCDpEvent", []string{"rho", "xi"}, decodeZCDP},
	{"ExponentialMechanismDpEvent", []string{"epsilon"}, decodeExponentialMechanism},
	{"PermuteAndFlipDpEvent", []string{"epsilon"}, decodePermuteAndFlip},
	{"MixtureOfGaussiansDpEvent", []string{"standard_deviation", "sensitivities", "sampling_probs"}, decodeMixtureOfGaussians},
	{"SelfComposedDpEvent", []string{"event", "count"}, decodeSelfComposed},
	{"ComposedDpEvent", []string{"events"}, decodeComposed},
	{"PoissonSampledDpEvent", []string{"sampling_probability", "event"}, decodePoissonSampled},
	{"SampledWithoutReplacementDpEvent", []string{"source_dataset_size", "sample_size", "event"}, decodeSampledWithoutReplacement},
	{"SingleEpochTreeAggregationDpEvent", []string{"noise_multiplier", "step_counts"}, decodeSingleEpochTreeAggregation},
	{"SampledWithReplacementDpEvent", []string{"source_dataset_size", "sample_size", "event"}, decodeSampledWithReplacement},
	{"TruncatedSubsampledGaussianDpEvent", []string{"dataset_size", "sampling_probability", "truncated_batch_size", "noise_multiplier"}, decodeTruncatedSubsampledGaussian},
	{"RandomAllocationDpEvent", []string{"event", "num_selected", "num_steps"}, decodeRandomAllocation},
	{"RepeatAndSelectDpEvent", []string{"event", "mean", "shape"}, decodeRepeatAndSelect},
	{"FinitePairEvent", []string{"p", "q"}, decodeFinitePair},
	{"HistogramPairEvent", []string{"p", "q"}, decodeHistogramPair},
	{"TruncatedGaussianEvent", []string{"sigma", "sensitivity", "radius"}, decodeTruncatedGaussian},
	{"TruncatedLaplaceEvent", []string{"scale", "sensitivity", "radius"}, decodeTruncatedLaplace},
	{"ClampedLaplaceEvent", []string{"location", "scale", "shift", "order"}, decodeClampedLaplace},
	{"ClampedGaussianEvent", []string{"location", "sigma", "shift", "order"}, decodeClampedGaussian},
	{"GaussianPairEvent", []string{"sigma_p", "sigma_q", "shift"}, decodeGaussianPair},
	{"ThresholdedNoiseEvent", []string{"event", "threshold", "keys"}, decodeThresholdedNoise},
	{"GroupEvent", []string{"event", "size"}, decodeGroup},
	{"MaximumEvent", []string{"events"}, decodeMaximum},
	{"MatrixMechanismEvent", []string{"strategy", "min_separation", "max_participations", "noise_multiplier"}, decodeMatrixMechanism},
	{"ShuffledEvent", []string{"reports", "event"}, decodeShuffled},
	{"BinomialEvent", []string{"trials", "probability", "sensitivity"}, decodeBinomial},
	{"AdditiveNoiseEvent", []string{"probabilities", "sha256", "cell", "sensitivity", "kind"}, decodeAdditiveNoise},
	{"DominatingPairEvent", []string{"profile"}, decodeDominatingPair},
	{"TradeOffEvent", []string{"points"}, decodeTradeOff},
	{"RenyiCurveEvent", []string{"orders", "values"}, decodeRenyiCurve},
}

// classNames are the names of all classes.
var classNames = func() (names []string) {
	for _, c := range classes {
		names = append(names, c.name)
	}
	return names
}()

// lookup finds a class by its class_name.
func lookup(name string) (class, bool) {
	i := slices.Index(classNames, name)
	if i < 0 {
		return class{}, false
	}
	return classes[i], true
}

// ClassNames returns the class names that events may have.
func ClassNames() []string { return slices.Clone(classNames) }

// unsupportedClasses are refused by name: what dp_accounting has for events of which it knows nothing.
var unsupportedClasses = []string{"UnsupportedDpEvent"}
