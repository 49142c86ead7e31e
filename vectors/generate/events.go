// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"fmt"
	"strings"
)

// The events of the catalogue, in JSON.

func gaussian(sigma string) string {
	return fmt.Sprintf(`{"class_name":"GaussianDpEvent","noise_multiplier":"%s"}`, sigma)
}

func laplace(scale string) string {
	return fmt.Sprintf(`{"class_name":"LaplaceDpEvent","noise_multiplier":"%s"}`, scale)
}

func discreteLaplace(parameter, sensitivity string) string {
	return fmt.Sprintf(`{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":"%s","sensitivity":%s}`, parameter, sensitivity)
}

// discreteGaussian has the unknown dimension if dimension is "null".
func discreteGaussian(sigma, sensitivity, dimension string) string {
	return fmt.Sprintf(`{"class_name":"DiscreteGaussianDpEvent","sigma":"%s","sensitivity":%s,"dimension":%s}`, sigma, sensitivity, dimension)
}

func randomizedResponse(p string, buckets int) string {
	return fmt.Sprintf(`{"class_name":"RandomizedResponseDpEvent","noise_parameter":"%s","num_buckets":%d}`, p, buckets)
}

func epsilonDelta(eps, delta string) string {
	return fmt.Sprintf(`{"class_name":"EpsilonDeltaDpEvent","epsilon":"%s","delta":"%s"}`, eps, delta)
}

func zcdp(rho string) string { return fmt.Sprintf(`{"class_name":"ZCDpEvent","rho":"%s"}`, rho) }

func exponential(eps string) string {
	return fmt.Sprintf(`{"class_name":"ExponentialMechanismDpEvent","epsilon":"%s"}`, eps)
}

func permuteAndFlip(eps string) string {
	return fmt.Sprintf(`{"class_name":"PermuteAndFlipDpEvent","epsilon":"%s"}`, eps)
}

func mixture(sd, sensitivities, probs string) string {
	return fmt.Sprintf(`{"class_name":"MixtureOfGaussiansDpEvent","standard_deviation":"%s","sensitivities":%s,"sampling_probs":%s}`, sd, list(sensitivities), list(probs))
}

func repeated(count int, event string) string {
	return fmt.Sprintf(`{"class_name":"SelfComposedDpEvent","count":%d,"event":%s}`, count, event)
}

func composed(events ...string) string {
	return `{"class_name":"ComposedDpEvent","events":[` + strings.Join(events, ",") + `]}`
}

func poisson(q, event string) string {
	return fmt.Sprintf(`{"class_name":"PoissonSampledDpEvent","sampling_probability":"%s","event":%s}`, q, event)
}

func withoutReplacement(source, sample int, event string) string {
	return fmt.Sprintf(`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":%d,"sample_size":%d,"event":%s}`, source, sample, event)
}

// own is an event of a class that dp_accounting does not have.
func own(class, fields string) string {
	return fmt.Sprintf(`{"module_name":"dpverify","class_name":"%s",%s}`, class, fields)
}

func finitePair(p, q string) string {
	return own("FinitePairEvent", `"p":`+list(p)+`,"q":`+list(q))
}

func truncatedGaussian(sigma, radius string) string {
	return own("TruncatedGaussianEvent", fmt.Sprintf(`"sigma":"%s","sensitivity":"1","radius":"%s"`, sigma, radius))
}

func truncatedLaplace(scale, radius string) string {
	return own("TruncatedLaplaceEvent", fmt.Sprintf(`"scale":"%s","sensitivity":"1","radius":"%s"`, scale, radius))
}

func clampedLaplace(location, scale, shift, order string) string {
	return own("ClampedLaplaceEvent", fmt.Sprintf(`"location":"%s","scale":"%s","shift":"%s","order":"%s"`, location, scale, shift, order))
}

func clampedGaussian(location, sigma, shift, order string) string {
	return own("ClampedGaussianEvent", fmt.Sprintf(`"location":"%s","sigma":"%s","shift":"%s","order":"%s"`, location, sigma, shift, order))
}

func gaussianPair(p, q, shift string) string {
	return own("GaussianPairEvent", fmt.Sprintf(`"sigma_p":"%s","sigma_q":"%s","shift":"%s"`, p, q, shift))
}

func tradeOff(points string) string { return own("TradeOffEvent", `"points":`+points) }

func worstOf(events ...string) string {
	return own("MaximumEvent", `"events":[`+strings.Join(events, ",")+`]`)
}

func thresholded(event, threshold string, keys int) string {
	return own("ThresholdedNoiseEvent", fmt.Sprintf(`"event":%s,"threshold":"%s","keys":%d`, event, threshold, keys))
}

func tree(sigma, steps string) string {
	return fmt.Sprintf(`{"class_name":"SingleEpochTreeAggregationDpEvent","noise_multiplier":"%s","step_counts":%s}`, sigma, steps)
}

func allocation(event string, selected, steps int) string {
	return fmt.Sprintf(`{"class_name":"RandomAllocationDpEvent","event":%s,"num_selected":%d,"num_steps":%d}`, event, selected, steps)
}

func shuffled(reports int, event string) string {
	return fmt.Sprintf(`{"module_name":"dpverify","class_name":"ShuffledEvent","reports":%d,"event":%s}`, reports, event)
}

func bestOf(mean, shape, event string) string {
	return fmt.Sprintf(`{"class_name":"RepeatAndSelectDpEvent","event":%s,"mean":%q,"shape":%q}`, event, mean, shape)
}

func withReplacement(source, sample int, event string) string {
	return fmt.Sprintf(`{"class_name":"SampledWithReplacementDpEvent","source_dataset_size":%d,"sample_size":%d,"event":%s}`, source, sample, event)
}

func truncatedSample(size int, q string, batch int, sigma string) string {
	return fmt.Sprintf(`{"class_name":"TruncatedSubsampledGaussianDpEvent","dataset_size":%d,"sampling_probability":"%s","truncated_batch_size":%d,"noise_multiplier":"%s"}`, size, q, batch, sigma)
}

func group(event string, size int) string {
	return own("GroupEvent", fmt.Sprintf(`"event":%s,"size":%d`, event, size))
}

func matrixMechanism(strategy string, separation, participations int, sigma string) string {
	return own("MatrixMechanismEvent", fmt.Sprintf(`"strategy":%s,"min_separation":%d,"max_participations":%d,"noise_multiplier":"%s"`, strategy, separation, participations, sigma))
}

func binomial(trials int, p string, sensitivity int) string {
	return own("BinomialEvent", fmt.Sprintf(`"trials":%d,"probability":"%s","sensitivity":%d`, trials, p, sensitivity))
}

func additiveNoise(probabilities, cell, sensitivity string) string {
	return own("AdditiveNoiseEvent", fmt.Sprintf(`"probabilities":%s,"cell":"%s","sensitivity":"%s"`, list(probabilities), cell, sensitivity))
}

func dominatingPair(profile string) string { return own("DominatingPairEvent", `"profile":`+profile) }

func renyiCurve(orders, values string) string {
	return own("RenyiCurveEvent", `"orders":`+list(orders)+`,"values":`+list(values))
}

// list writes numbers between blanks as a list of strings.
func list(numbers string) string {
	return `["` + strings.Join(strings.Fields(numbers), `","`) + `"]`
}

// each applies f to words between blanks.
func each(words string, f func(string) string) []string {
	var out []string
	for _, w := range strings.Fields(words) {
		out = append(out, f(w))
	}
	return out
}

// times composes an event in several counts.
func times(event string, counts ...int) []string {
	var out []string
	for _, n := range counts {
		out = append(out, repeated(n, event))
	}
	return out
}
