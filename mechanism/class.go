package mechanism

import (
	"slices"
	"strings"
)

// A class says how the events of one class_name are read.
type class struct {
	fields []string
	decode func(*reader) Event
}

// lookup finds a class by its class_name.
func lookup(name string) (class, bool) {
	switch name {
	case "NoOpDpEvent":
		return class{nil, decodeNoOp}, true
	case "NonPrivateDpEvent":
		return class{nil, decodeNonPrivate}, true
	case "GaussianDpEvent":
		return class{[]string{"noise_multiplier"}, decodeGaussian}, true
	case "LaplaceDpEvent":
		return class{[]string{"noise_multiplier"}, decodeLaplace}, true
	case "RandomizedResponseDpEvent":
		return class{[]string{"noise_parameter", "num_buckets"}, decodeRandomizedResponse}, true
	case "EpsilonDeltaDpEvent":
		return class{[]string{"epsilon", "delta"}, decodeEpsilonDelta}, true
	case "DiscreteLaplaceDpEvent":
		return class{[]string{"noise_parameter", "sensitivity"}, decodeDiscreteLaplace}, true
	case "DiscreteGaussianDpEvent":
		return class{[]string{"sigma", "sensitivity", "dimension"}, decodeDiscreteGaussian}, true
	case "ZCDpEvent":
		return class{[]string{"rho", "xi"}, decodeZCDP}, true
	case "ExponentialMechanismDpEvent":
		return class{[]string{"epsilon"}, decodeExponentialMechanism}, true
	case "PermuteAndFlipDpEvent":
		return class{[]string{"epsilon"}, decodePermuteAndFlip}, true
	case "MixtureOfGaussiansDpEvent":
		return class{[]string{"standard_deviation", "sensitivities", "sampling_probs"}, decodeMixtureOfGaussians}, true
	case "SelfComposedDpEvent":
		return class{[]string{"event", "count"}, decodeSelfComposed}, true
	case "ComposedDpEvent":
		return class{[]string{"events"}, decodeComposed}, true
	case "PoissonSampledDpEvent":
		return class{[]string{"sampling_probability", "event"}, decodePoissonSampled}, true
	case "SampledWithoutReplacementDpEvent":
		return class{[]string{"source_dataset_size", "sample_size", "event"}, decodeSampledWithoutReplacement}, true
	case "FinitePairEvent":
		return class{[]string{"p", "q"}, decodeFinitePair}, true
	case "HistogramPairEvent":
		return class{[]string{"p", "q"}, decodeHistogramPair}, true
	case "TruncatedGaussianEvent":
		return class{[]string{"sigma", "sensitivity", "radius"}, decodeTruncatedGaussian}, true
	case "TruncatedLaplaceEvent":
		return class{[]string{"scale", "sensitivity", "radius"}, decodeTruncatedLaplace}, true
	case "ClampedLaplaceEvent":
		return class{[]string{"location", "scale", "shift", "order"}, decodeClampedLaplace}, true
	case "BinomialEvent":
		return class{[]string{"trials", "probability", "sensitivity"}, decodeBinomial}, true
	case "AdditiveNoiseEvent":
		return class{[]string{"probabilities", "cell", "sensitivity", "kind"}, decodeAdditiveNoise}, true
	case "DominatingPairEvent":
		return class{[]string{"profile"}, decodeDominatingPair}, true
	case "RenyiCurveEvent":
		return class{[]string{"orders", "values"}, decodeRenyiCurve}, true
	}
	return class{}, false
}

// classNames lists every class that lookup knows.
var classNames = []string{
	"NoOpDpEvent",
	"NonPrivateDpEvent",
	"GaussianDpEvent",
	"LaplaceDpEvent",
	"RandomizedResponseDpEvent",
	"EpsilonDeltaDpEvent",
	"DiscreteLaplaceDpEvent",
	"DiscreteGaussianDpEvent",
	"ZCDpEvent",
	"ExponentialMechanismDpEvent",
	"PermuteAndFlipDpEvent",
	"MixtureOfGaussiansDpEvent",
	"SelfComposedDpEvent",
	"ComposedDpEvent",
	"PoissonSampledDpEvent",
	"SampledWithoutReplacementDpEvent",
	"FinitePairEvent",
	"HistogramPairEvent",
	"TruncatedGaussianEvent",
	"TruncatedLaplaceEvent",
	"ClampedLaplaceEvent",
	"BinomialEvent",
	"AdditiveNoiseEvent",
	"DominatingPairEvent",
	"RenyiCurveEvent",
}

// ClassNames returns the class names that events may have.
func ClassNames() []string { return slices.Clone(classNames) }

// unsupportedClasses are dp_accounting's other classes. They are refused by
// name: no proved bound for them is part of this project.
var unsupportedClasses = []string{
	"UnsupportedDpEvent",
	"SampledWithReplacementDpEvent",
	"SingleEpochTreeAggregationDpEvent",
	"RepeatAndSelectDpEvent",
	"TruncatedSubsampledGaussianDpEvent",
}

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

// classStem drops what most class names have in common, but leaves zCDP whole.
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
