// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"slices"
	"strings"
)

// A class says how the events of one class_name are read.
type class struct {
	name   string
	fields []string
	decode func(*reader) Event
}

// classes are all of them. It is set in init because decoders look classes up.
var classes []class

func init() {
	classes = []class{
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
		{"ThresholdedNoiseEvent", []string{"event", "threshold", "keys"}, decodeThresholdedNoise},
		{"GroupEvent", []string{"event", "size"}, decodeGroup},
		{"MatrixMechanismEvent", []string{"strategy", "min_separation", "max_participations", "noise_multiplier"}, decodeMatrixMechanism},
		{"ShuffledEvent", []string{"reports", "event"}, decodeShuffled},
		{"BinomialEvent", []string{"trials", "probability", "sensitivity"}, decodeBinomial},
		{"AdditiveNoiseEvent", []string{"probabilities", "cell", "sensitivity", "kind"}, decodeAdditiveNoise},
		{"DominatingPairEvent", []string{"profile"}, decodeDominatingPair},
		{"RenyiCurveEvent", []string{"orders", "values"}, decodeRenyiCurve},
	}
	for _, c := range classes {
		classNames = append(classNames, c.name)
	}
}

// classNames are the names of all classes.
var classNames []string

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

// nearestClass returns the known class that name is most likely meant to be, or
// nothing if none is close: two letters off, or up to a third of the part that
// makes the difference.
func nearestClass(name string) string {
	if len(name) > 64 {
		return ""
	}
	whole, stem := strings.ToLower(name), classStem(name)
	nearest, best := "", len(name)
	for _, known := range slices.Concat(classNames, unsupportedClasses) {
		if d := editDistance(stem, classStem(known)); d < best && d <= max(1, len(stem)/3) {
			nearest, best = known, d
		}
		if d := editDistance(whole, strings.ToLower(known)); d < best && d <= 2 {
			nearest, best = known, d
		}
	}
	return nearest
}

// classStem drops the endings that most class names share, but leaves zCDP whole.
func classStem(name string) string {
	stem := strings.TrimSuffix(strings.ToLower(name), "event")
	if len(stem) > len("zcdp") {
		stem = strings.TrimSuffix(stem, "dp")
	}
	return stem
}

// editDistance is the least number of bytes to insert, delete or replace that
// turns a into b.
func editDistance(a, b string) int {
	// row[j] is the distance of the part of a read so far to b[:j].
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
