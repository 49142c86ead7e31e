// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A lot draws the parameters of one class. Each class has a generator of its own, so that a new one leaves the others
// as they are.
type lot struct{ *rand.Rand }

func newLot(class string) lot {
	var seed uint64
	for _, c := range class {
		seed = seed*257 + uint64(c)
	}
	return lot{rand.New(rand.NewPCG(20261127, seed))}
}

// log draws from lo to hi, uniformly in the logarithm, and writes three digits.
func (l lot) log(lo, hi float64) string {
	return short(lo * math.Exp(l.Float64()*math.Log(hi/lo)))
}

// count draws a whole number in the same way.
func (l lot) count(lo, hi float64) int {
	return int(math.Round(lo * math.Exp(l.Float64()*math.Log(hi/lo))))
}

// short writes three significant digits, with an exponent where that is shorter.
func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

func sampled(q, sigma string) string { return "poisson(" + q + ", gaussian(" + sigma + "))" }

// copies is an event so many times.
func copies(event string, n int) string { return fmt.Sprintf("%s * %d", event, n) }

// sum is a composition of n events.
func sum(n int, event func(i int) string) string {
	each := make([]string, n)
	for i := range each {
		each[i] = event(i)
	}
	return strings.Join(each, " + ")
}

// composed is an event in JSON so many times.
func composed(event string, n int) string {
	return fmt.Sprintf(`{class_name: SelfComposedDpEvent, count: %d, event: %s}`, n, event)
}

const gaussianEvent = `{class_name: GaussianDpEvent, noise_multiplier: %s}`

func allocated(sigma string, k, n int) string {
	return fmt.Sprintf(`{class_name: RandomAllocationDpEvent, event: `+gaussianEvent+
		`, num_selected: %d, num_steps: %d}`, sigma, k, n)
}

// A class is so many questions of one kind: an event, flags, δ.
type class struct {
	name string
	n    int
	draw func(l lot, i int) (args []string)
}

// epsilon is a question for ε.
func epsilon(event, delta string, digits int, flags ...string) []string {
	return append([]string{"epsilon", "--delta", delta, "--digits", strconv.Itoa(digits), event}, flags...)
}

// delta is a question for δ.
func delta(event, eps string, digits int, flags ...string) []string {
	return append([]string{"delta", "--epsilon", eps, "--digits", strconv.Itoa(digits), event}, flags...)
}

// training draws a DP-SGD training from the widest range.
func training(l lot, digits int, flags ...string) []string {
	event := copies(sampled(l.log(1e-7, .5), l.log(.02, 100)), l.count(1, 1e6))
	return epsilon(event, l.log(1e-15, 1e-4), digits, flags...)
}

var replaced = []string{"--relation", "REPLACE_ONE"}

// classes are the questions. Fixed ones are cliffs that were found; the others are drawn.
var classes = []class{
	{"sgd-4", 38, func(l lot, _ int) []string { return training(l, 4) }},
	{"sgd-10", 38, func(l lot, _ int) []string { return training(l, 10) }},
	{"sgd-replace-4", 40, func(l lot, _ int) []string { return training(l, 4, replaced...) }},
	{"sgd-replace-10", 40, func(l lot, _ int) []string { return training(l, 10, replaced...) }},
	{"little-noise", 16, func(l lot, i int) []string {
		sigma := []string{"0.3", "0.29", "0.28", "0.25", "0.2", "0.1", "0.05", "0.02"}[i%8]
		return epsilon(copies(sampled("0.01", sigma), []int{1000, 10}[i/8]), "1e-6", 6)
	}},
	{"few-copies", 16, func(l lot, i int) []string {
		return epsilon(copies(sampled(l.log(1e-4, .1), l.log(.5, 4)), 2+i%8), l.log(1e-12, 1e-5), []int{4, 10}[i%2])
	}},
	{"rare-replace", 10, func(l lot, i int) []string {
		q := []string{"1e-4", "3e-5", "2e-5", "1e-5", "1e-6"}[i%5]
		return epsilon(copies(sampled(q, "1"), 100), "1e-8", []int{4, 6}[i/5], replaced...)
	}},
	{"digits", 12, func(l lot, i int) []string {
		n := []int{20, 30, 50, 70, 100, 100}[i%6]
		return epsilon(copies(sampled("0.01", "1"), []int{1000, 30000}[i/6]), "1e-6", n)
	}},
	{"huge-noise", 6, func(l lot, i int) []string {
		return epsilon(copies(sampled("0.01", []string{"300", "1000", "2000", "3000", "5000", "10000"}[i]), 1000), "1e-6", 4)
	}},
	{"many-steps", 6, func(l lot, i int) []string {
		return epsilon(copies(sampled("1e-4", "1"), []int{1e7, 1e8, 1e9}[i%3]), []string{"1e-6", "1e-20"}[i/3], 6)
	}},
	{"different-samples", 8, func(l lot, i int) []string {
		n := []int{3, 10, 30, 100, 140, 160, 180, 300}[i]
		return epsilon(sum(n, func(i int) string {
			return sampled(short(.001+.0001*float64(i)), short(.8+.01*float64(i)))
		}), "1e-6", 4)
	}},
	{"different-guarantees", 10, func(l lot, i int) []string {
		n := []int{3, 10, 30, 100, 125, 150, 175, 200, 300, 1000}[i]
		return epsilon(sum(n, func(i int) string { return "dp(" + short(.01+.0007*float64(i)) + ", 1e-9)" }), "1e-5", 4)
	}},
	{"equal-guarantees", 10, func(l lot, i int) []string {
		return epsilon(copies("dp("+l.log(.001, 2)+", "+l.log(1e-12, 1e-7)+")", l.count(1, 1e5)), "1e-5", 12)
	}},
	{"gaussian", 10, func(l lot, i int) []string {
		return delta(copies("gaussian("+l.log(.1, 1000)+")", l.count(1, 1000)), l.log(.01, 100), []int{12, 100}[i%2])
	}},
	{"laplace", 14, func(l lot, i int) []string {
		return epsilon(copies("laplace("+l.log(.5, 100)+")", l.count(1, 1e5)), l.log(1e-15, 1e-4), []int{4, 12}[i%2])
	}},
	{"different-laplace", 10, func(l lot, i int) []string {
		n := []int{2, 3, 4, 10, 30}[i%5]
		scales := sum(n, func(int) string { return "laplace(" + l.log(5, 50) + ")" })
		return epsilon(scales, "1e-6", []int{4, 6}[i/5])
	}},
	{"sampled-laplace", 12, func(l lot, i int) []string {
		return epsilon(copies("poisson("+l.log(1e-5, .3)+", laplace("+l.log(.5, 20)+"))", l.count(1, 1000)),
			l.log(1e-10, 1e-4), 4)
	}},
	{"discrete-gaussian", 16, func(l lot, i int) []string {
		return epsilon(copies("discrete_gaussian("+l.log(.3, 1e4)+")", l.count(1, 1e4)), l.log(1e-15, 1e-4),
			[]int{4, 10}[i%2])
	}},
	{"different-discrete-gaussian", 6, func(l lot, i int) []string {
		return epsilon(sum(2+4*i, func(int) string { return "discrete_gaussian(" + l.log(1, 20) + ")" }), "1e-6", 4)
	}},
	{"discrete-laplace", 10, func(l lot, i int) []string {
		return epsilon(copies("discrete_laplace("+l.log(.02, 2)+", 1)", l.count(1, 1e4)), l.log(1e-15, 1e-4),
			[]int{4, 10}[i%2])
	}},
	{"allocation", 12, func(l lot, i int) []string {
		n := []int{2, 3, 4, 10, 100, 1000}[i%6]
		return epsilon(allocated(l.log(.5, 4), 1, n), l.log(1e-8, 1e-4), []int{3, 6}[i/6])
	}},
	{"allocation-of-more", 4, func(l lot, i int) []string {
		return epsilon(allocated("2", []int{2, 10, 5, 50}[i], []int{10, 100, 391, 1000}[i]), "1e-6", 3)
	}},
	{"subset", 10, func(l lot, i int) []string {
		event := fmt.Sprintf("subset(10000, %d, gaussian(%s))", l.count(1, 2000), l.log(.5, 10))
		return epsilon(copies(event, l.count(1, 1000)), l.log(1e-10, 1e-4), 3)
	}},
	{"with-replacement", 4, func(l lot, i int) []string {
		return epsilon(fmt.Sprintf(`{class_name: SampledWithReplacementDpEvent,`+
			` source_dataset_size: 1000, sample_size: %d, event: `+
			gaussianEvent+`}`, l.count(1, 30), l.log(.5, 4)), "1e-6", 3, replaced...)
	}},
	{"truncated-sample", 4, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{class_name: TruncatedSubsampledGaussianDpEvent,`+
			` dataset_size: 60000, sampling_probability: 256/60000,`+
			` truncated_batch_size: %d, noise_multiplier: 1.1}`, []int{400, 320, 280, 260}[i]), 1000), "1e-5", 3)
	}},
	{"group", 8, func(l lot, i int) []string {
		event := fmt.Sprintf("group(%s, %d)", sampled(l.log(1e-4, .1), l.log(.7, 10)), 2+i%3)
		return epsilon(copies(event, l.count(10, 1e4)), l.log(1e-10, 1e-5), 4)
	}},
	{"mixture-of-gaussians", 8, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{class_name: MixtureOfGaussiansDpEvent,`+
			` standard_deviation: %s, sensitivities: [0, 1, 2],`+
			` sampling_probs: [0.9, 0.09, 0.01]}`, l.log(.7, 10)), l.count(2, 1e4)), l.log(1e-10, 1e-5), 4)
	}},
	{"finite", 8, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: FinitePairEvent,`+
			` p: ["0.1%[1]d", "0.2", "0.6%[2]d"],`+
			` q: ["0.2", "0.1%[1]d", "0.6%[2]d"]}`, 1+i, 9-i), l.count(1, 1000)), l.log(1e-10, 1e-5), 4)
	}},
	{"zcdp", 6, func(l lot, i int) []string {
		return epsilon(copies("zcdp("+l.log(.001, 2)+")", l.count(1, 30)), l.log(1e-10, 1e-5), 3)
	}},
	{"selection", 10, func(l lot, i int) []string {
		event := []string{"exponential", "permute_and_flip"}[i%2]
		return epsilon(copies(event+"("+l.log(.01, 2)+")", l.count(1, 300)), l.log(1e-10, 1e-5), 3)
	}},
	{"randomized-response", 6, func(l lot, i int) []string {
		event := fmt.Sprintf("randomized_response(%s, %d)", l.log(.05, .9), l.count(2, 100))
		return epsilon(copies(event, l.count(1, 1000)), l.log(1e-10, 1e-5), 6, replaced...)
	}},
	{"truncated-noise", 6, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: Truncated%sEvent,`+
			` sigma: 2, sensitivity: 1, radius: %d}`, "Gaussian", 8+2*i), l.count(2, 300)), "1e-5", 3)
	}},
	{"other-pairs", 4, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: GaussianPairEvent,`+
			` sigma_p: "1.%d", sigma_q: "1", shift: "0.5"}`, 1+i), []int{1, 2, 10, 100}[i]), "1e-5", 3)
	}},
	{"repeat-and-select", 3, func(l lot, i int) []string {
		return epsilon(fmt.Sprintf(`{class_name: RepeatAndSelectDpEvent, mean: %d, shape: 1, event: `+gaussianEvent+`}`,
			[]int{3, 10, 100}[i], "4"), "1e-6", 3)
	}},
	{"threshold", 3, func(l lot, i int) []string {
		return epsilon(fmt.Sprintf(`{module_name: dpverify, class_name: ThresholdedNoiseEvent,`+
			` event: {class_name: LaplaceDpEvent,`+
			` noise_multiplier: 2}, threshold: 30, keys: %d}`, []int{1, 4, 16}[i]), "1e-6", 6)
	}},
	{"mixed", 12, func(l lot, i int) []string {
		parts := []string{copies(sampled(l.log(.001, .1), l.log(.7, 4)), l.count(10, 1e4)), "laplace(" + l.log(2, 20) + ")",
			"gaussian(" + l.log(2, 20) + ")", "dp(" + l.log(.01, .5) + ", 1e-9)", copies("discrete_gaussian("+l.log(5, 50)+
				")", l.count(1, 30))}
		l.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return epsilon(strings.Join(parts[:2+i%4], " + "), "1e-5", 4)
	}},
	{"delta", 10, func(l lot, i int) []string {
		return delta(copies(sampled(l.log(1e-4, .1), l.log(.7, 10)), l.count(1, 1e5)), l.log(.01, 10), []int{4, 10}[i%2])
	}},
	{"renyi", 6, func(l lot, i int) []string {
		return []string{"renyi", "--order", l.log(1.1, 100), "--digits", "12", copies(sampled(l.log(1e-4, .1),
			l.log(.7, 10)), 100)}
	}},
	{"tradeoff", 4, func(l lot, i int) []string {
		return []string{"tradeoff", "--alpha", l.log(1e-4, .5), "--digits", "4", copies(sampled(l.log(.001, .1),
			l.log(.7, 10)), 100)}
	}},
	{"train", 8, func(l lot, i int) []string {
		sampling := []string{"balls_in_bins", "cyclic(2)", "allocation", "truncated(80)"}[i%4]
		event := fmt.Sprintf("sgd(%s, 64, 640, epochs=%d, sampling=%s)", l.log(1, 4), []int{1, 10}[i/4], sampling)
		return epsilon(event, "1e-5", 3)
	}},
	{"matrix", 8, func(l lot, i int) []string {
		sampling := []string{"{balls_in_bins: {bins: 10}}", "{min_separation: {separation: 4, probability: 0.1}}",
			"{random_shift: {bands: 4, probability: 0.1}}", "{allocation: {select: 2}}"}[i%4]
		return epsilon(fmt.Sprintf(`{class_name: MatrixMechanismEvent, noise_multiplier: %s,`+
			` strategy: {toeplitz: [1, 0.5, 0.25], steps: %d}, sampling: %s}`, l.log(2, 8), []int{20, 100}[i/4], sampling),
			"1e-5", 2)
	}},
	{"shuffled", 6, func(l lot, i int) []string {
		report := []string{"dp(" + l.log(.5, 3) + ")", "randomized_response(" + l.log(.1, .5) + ", 4)"}[i%2]
		return epsilon(fmt.Sprintf(`{module_name: dpverify, class_name: ShuffledEvent, reports: %d, event: %q}`,
			[]int{1e3, 1e4, 1e6}[i/2], report), l.log(1e-8, 1e-5), 2, replaced...)
	}},
	{"subset-replace", 4, func(l lot, i int) []string {
		event := fmt.Sprintf("subset(50000, %d, gaussian(%s))", l.count(100, 1000), l.log(.8, 4))
		return epsilon(copies(event, []int{1, 30, 300, 1000}[i]), "1e-5", 2, replaced...)
	}},
	{"permutation", 2, func(l lot, i int) []string {
		return epsilon(fmt.Sprintf(`{module_name: dpverify, class_name: ShuffledBatchesEvent, batches: %d, event: `+
			gaussianEvent+`}`, []int{10, 1000}[i], l.log(.5, 4)), "1e-6", 3, replaced...)
	}},
	{"mean", 4, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: MeanOfEvents,`+
			` probabilities: [0.9, 0.1], events: [`+gaussianEvent+`, `+gaussianEvent+`]}`, l.log(2, 10), l.log(.7, 2)),
			[]int{1, 3, 30, 1000}[i]), l.log(1e-10, 1e-5), 4)
	}},
	{"maximum", 3, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: MaximumEvent, events: [`+gaussianEvent+
			`, {class_name: LaplaceDpEvent, noise_multiplier: %s}]}`, l.log(2, 10), l.log(2, 10)),
			[]int{1, 30, 1000}[i]), "1e-5", 3)
	}},
	{"mixture-pair", 3, func(l lot, i int) []string {
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: GaussianMixturePairEvent,`+
			` standard_deviation: %s, p: [[0.5, 0], [0.25, 1], [0.25, 2]], q: [[0.75, 0], [0.25, 1]]}`, l.log(1, 10)),
			[]int{1, 30, 1000}[i]), "1e-5", 4)
	}},
	{"last-iterate", 2, func(l lot, i int) []string {
		return epsilon(fmt.Sprintf(`{module_name: dpverify, class_name: LastIterateEvent, contraction: 0.99,`+
			` steps: %d, noise_multiplier: %s, batches: 10}`, []int{100, 1e5}[i], l.log(1, 10)), "1e-6", 10)
	}},
	{"clamped", 4, func(l lot, i int) []string {
		kind := []string{"Laplace", "Gaussian"}[i%2]
		return epsilon(composed(fmt.Sprintf(`{module_name: dpverify, class_name: Clamped%sEvent, location: 20,`+
			` %s: %s, shift: 2, order: clamp-then-shift}`, kind, []string{"scale", "sigma"}[i%2], l.log(2, 8)),
			[]int{1, 30}[i/2]), "1e-3", 4)
	}},
}

// questions are those of all classes, in their order.
func questions() (out []question) {
	for _, c := range classes {
		l := newLot(c.name)
		for i := range c.n {
			out = append(out, question{fmt.Sprintf("%s-%02d", c.name, i+1), c.draw(l, i)})
		}
	}
	return out
}
