// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"fmt"
	"strings"
)

// A raw text is a value in JSON.
type raw string

// event is an event of the catalogue in JSON, with names of fields and their values. A text is a string there.
func event(class string, fields ...any) string {
	s := `{"class_name":"` + class + `"`
	if !strings.HasSuffix(class, "DpEvent") {
		s = `{"module_name":"dpverify",` + s[1:]
	}
	for i := 0; i < len(fields); i += 2 {
		value := fmt.Sprint(fields[i+1])
		if _, ok := fields[i+1].(string); ok {
			value = `"` + value + `"`
		}
		s += fmt.Sprintf(`,"%s":%s`, fields[i], value)
	}
	return s + "}"
}

func gaussian(sigma string) string { return event("GaussianDpEvent", "noise_multiplier", sigma) }

func laplace(scale string) string { return event("LaplaceDpEvent", "noise_multiplier", scale) }

func discreteLaplace(parameter string, sensitivity int) string {
	return event("DiscreteLaplaceDpEvent", "noise_parameter", parameter, "sensitivity", sensitivity)
}

// discreteGaussian has the unknown dimension if dimension is "null".
func discreteGaussian(sigma string, sensitivity int, dimension raw) string {
	return event("DiscreteGaussianDpEvent", "sigma", sigma, "sensitivity", sensitivity, "dimension", dimension)
}

func randomizedResponse(p string, buckets int) string {
	return event("RandomizedResponseDpEvent", "noise_parameter", p, "num_buckets", buckets)
}

func epsilonDelta(eps, delta string) string {
	return event("EpsilonDeltaDpEvent", "epsilon", eps, "delta", delta)
}

func zcdp(rho string) string { return event("ZCDpEvent", "rho", rho) }

func exponential(eps string) string { return event("ExponentialMechanismDpEvent", "epsilon", eps) }

func mixture(sd, sensitivities, probs string) string {
	return event("MixtureOfGaussiansDpEvent", "standard_deviation", sd, "sensitivities", list(sensitivities),
		"sampling_probs", list(probs))
}

func repeated(count int, e string) string {
	return event("SelfComposedDpEvent", "count", count, "event", raw(e))
}

func composed(events ...string) string { return event("ComposedDpEvent", "events", listOf(events)) }

func poisson(q, e string) string {
	return event("PoissonSampledDpEvent", "sampling_probability", q, "event", raw(e))
}

func withoutReplacement(source, sample int, e string) string {
	return event("SampledWithoutReplacementDpEvent", "source_dataset_size", source, "sample_size", sample, "event", raw(e))
}

func finitePair(p, q string) string { return event("FinitePairEvent", "p", list(p), "q", list(q)) }

// listOf writes values in JSON as a list.
func listOf(values []string) raw { return raw("[" + strings.Join(values, ",") + "]") }

// list writes numbers between blanks as a list of strings.
func list(numbers string) raw { return raw(`["` + strings.Join(strings.Fields(numbers), `","`) + `"]`) }

// each applies f to words between blanks.
func each(words string, f func(string) string) []string {
	var out []string
	for _, w := range strings.Fields(words) {
		out = append(out, f(w))
	}
	return out
}

// times composes an event in several counts.
func times(e string, counts ...int) []string {
	var out []string
	for _, n := range counts {
		out = append(out, repeated(n, e))
	}
	return out
}
