// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"regexp"
	"slices"
	"strings"

	"dpverify/mechanism"
)

// on returns the family under another relation.
func (f family) on(relation string) family {
	f.relation = relation
	return f
}

// both asks for delta at some ε and for epsilon at some δ.
func (f family) both(epsilons, deltas string) []family {
	d, e := f, f
	d.quantity, d.at = "delta", epsilons
	if f.group == "DP-SGD" {
		d.digits = digits // an inversion settles all of them at once
	}
	e.quantity, e.at = "epsilon", deltas
	return []family{d, e}
}

// asks sets a quantity.
func (f family) asks(quantity, at string) []family {
	f.quantity, f.at = quantity, at
	if quantity == "tradeoff" {
		f.digits = digits // some more values of the profile, where a family has less of ε
	}
	return []family{f}
}

// catalogue returns all families. The files have the same order.
func catalogue() []family {
	own := slices.Concat(noise(), discrete(), responses(), guarantees(), samples(), pairs(), mixed(), known())
	return append(own, examples(own)...)
}

// examples asks about the example of each class that no family of its own asks about, unless the example is in files.
func examples(own []family) (out []family) {
	var asked strings.Builder
	for _, f := range own {
		asked.WriteString(strings.Join(f.events, ""))
	}
	for _, c := range mechanism.Descriptions() {
		if strings.Contains(asked.String(), `"`+c.Class+`"`) || c.Class == inFiles {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(c.Class, "Event"), "Dp")
		file := strings.ToLower(capitals.ReplaceAllString(name, "${1}_$2"))
		f := family{file: file, group: "the example of the help", rough: true, events: []string{c.Example}}
		out = append(out, f.on(c.Relations[0].String()).both("0.5", "1e-5")...)
	}
	return out
}

const inFiles = "HistogramPairEvent"

var capitals = regexp.MustCompile("([a-z])([A-Z])")

// noise are continuous distributions.
func noise() []family {
	one := family{file: "gaussian", group: "one release", events: each("0.3 0.5 1 2 5 40", gaussian)}
	many := family{file: "gaussian", group: "compositions", events: slices.Concat(
		times(gaussian("1"), 5), times(gaussian("20"), 100), times(gaussian("100"), 10000), times(gaussian("0.5"), 50))}
	replaced := family{file: "gaussian", group: "one record replaced", relation: replaceOne, events: append(each("0.5 1 4", gaussian), times(gaussian("8"), 20)...)}
	mixed := family{file: "gaussian", group: "different noise", events: []string{
		composed(gaussian("2"), repeated(3, gaussian("5"))), composed(gaussian("1"), gaussian("3"), gaussian("10"))}}
	calibrated := family{file: "gaussian", group: "where sqrt(2 ln(1.25/δ))/σ is no bound", flags: []Flag{ClassicalFormula}, events: each("0.484480526 0.25", gaussian)}
	lap := family{file: "laplace", group: "one release", events: each("0.5 1 3 10", laplace)}
	lapMany := family{file: "laplace", group: "compositions", events: slices.Concat(times(laplace("3"), 2, 10), times(laplace("10"), 100), times(laplace("1.1"), 40))}
	lapWide := family{file: "laplace", group: "many releases", events: times(laplace("10"), 1000), digits: 12}
	lapReplaced := family{file: "laplace", group: "one record replaced", relation: replaceOne, events: append(each("1 5", laplace), times(laplace("5"), 4)...)}
	return slices.Concat(one.both("-1 0 0.1 1 5 20", "0.5 1e-3 1e-5 1e-10 1e-20 1e-100"),
		one.asks("renyi", "1 1.5 2 32 1e6"), one.asks("tradeoff", "1e-6 0.05 0.5"),
		many.both("0.5 3", "1e-6 1e-12 1e-20 1e-30"), many.asks("renyi", "2.5 8"), many.asks("tradeoff", "0.01"),
		replaced.both("0.1 2", "0.1 1e-5"), replaced.asks("renyi", "4"),
		mixed.both("1", "1e-5"), calibrated.both("4", "1e-5 1e-2"),
		lap.both("-0.5 0 0.05 0.3 0.9 2", "0.25 1e-3 1e-10"), lap.asks("renyi", "1 1.5 32 inf"), lap.asks("tradeoff", "0.1"),
		lapMany.both("0.3 2", "1e-6 1e-10"), lapMany.asks("renyi", "1.25 16"), lapWide.asks("epsilon", "1e-8"),
		lapReplaced.both("0.3", "0.1 1e-5"), lapReplaced.asks("renyi", "3"),
	)
}

// discrete are noises on the integers.
func discrete() []family {
	dl := family{file: "discrete_laplace", group: "one release", events: []string{discreteLaplace("0.2", 1), discreteLaplace("1", 1), discreteLaplace("0.5", 3)}}
	dlMany := family{file: "discrete_laplace", group: "compositions", events: append(times(discreteLaplace("0.2", 1), 10, 50), repeated(10, discreteLaplace("0.1", 2)))}
	dlReplaced := family{file: "discrete_laplace", group: "one record replaced", relation: replaceOne, events: []string{discreteLaplace("0.5", 1), repeated(5, discreteLaplace("0.2", 1))}}
	dg := family{file: "discrete_gaussian", group: "one entry", events: []string{discreteGaussian("0.5", 1, "1"), discreteGaussian("2", 1, "1"), discreteGaussian("3", 2, "1")}}
	dgMany := family{file: "discrete_gaussian", group: "compositions", events: times(discreteGaussian("4", 1, "1"), 2, 10)}
	dgUnknown := family{file: "discrete_gaussian", group: "vectors", rough: true, events: []string{discreteGaussian("2", 1, "null"), discreteGaussian("1", 2, "null"), discreteGaussian("1", 2, "3")}}
	bin := family{file: "binomial", group: "noise of coins", events: []string{event("BinomialEvent", "trials", 50, "probability", "0.5", "sensitivity", 1), event("BinomialEvent", "trials", 200, "probability", "0.5", "sensitivity", 1), event("BinomialEvent", "trials", 100, "probability", "0.25", "sensitivity", 2)}}
	binMany := family{file: "binomial", group: "compositions", digits: 8, events: times(event("BinomialEvent", "trials", 200, "probability", "0.5", "sensitivity", 1), 5)}
	return slices.Concat(dl.both("0 0.1 0.5 1", "0.25 1e-3 1e-9"), dl.asks("renyi", "1.5 8"), dl.asks("tradeoff", "0.1"),
		dlMany.both("0.5 2", "1e-6 1e-12"), dlMany.asks("renyi", "3"), dlReplaced.both("0.4", "1e-4"),
		dg.both("0 0.5 2", "1e-3 1e-6 1e-15"), dg.asks("renyi", "1.5 4"), dgMany.both("0.5", "1e-6"),
		dgUnknown.both("0.5", "1e-6"), dgUnknown.asks("renyi", "3"),
		bin.both("0.1 0.5", "1e-3 1e-6"), bin.asks("renyi", "2"), binMany.both("0.1 0.5", "1e-3 1e-6"),
	)
}

// responses are local randomizers and selections.
func responses() []family {
	rr := family{file: "randomized_response", group: "one release", events: []string{randomizedResponse("0.5", 2), randomizedResponse("0.5", 4), randomizedResponse("0.01", 16)}}
	rrMany := family{file: "randomized_response", group: "compositions", digits: 12, events: append(times(randomizedResponse("0.5", 2), 2, 10), repeated(10, randomizedResponse("0.5", 4)), repeated(100, randomizedResponse("0.9", 3)))}
	em := family{file: "exponential_mechanism", group: "selections", rough: true, events: append(each("0.1 1", exponential), times(exponential("0.1"), 21, 100)...)}
	pf := family{file: "permute_and_flip", group: "selections", rough: true, events: append([]string{event("PermuteAndFlipDpEvent", "epsilon", "0.2"), event("PermuteAndFlipDpEvent", "epsilon", "1")}, repeated(50, event("PermuteAndFlipDpEvent", "epsilon", "0.2")))}
	return slices.Concat(
		rr.on(replaceOne).both("0 0.5 1", "0.1 1e-5"), rr.on(replaceSpecial).both("0.5", "0.1"), rr.on(replaceOne).asks("renyi", "2 3.5"), rr.on(replaceOne).asks("tradeoff", "0.1"),
		rrMany.on(replaceOne).both("1 3", "0.1 1e-6"), rrMany.on(replaceSpecial).both("1", "1e-4"), rrMany.on(replaceOne).asks("renyi", "2 3"),
		em.both("0.05 0.3", "1e-2 1e-6"), em.asks("renyi", "2"),
		pf.both("0.1 0.5", "1e-2 1e-6"), pf.asks("renyi", "4"),
	)
}

// guarantees stand for the worst mechanism that has them.
func guarantees() []family {
	pure := family{file: "epsilon_delta", group: "pure guarantees", digits: 15, events: slices.Concat([]string{epsilonDelta("1", "0")}, times(epsilonDelta("0.1", "0"), 20, 200), times(epsilonDelta("1", "0"), 2, 50))}
	approximate := family{file: "epsilon_delta", group: "approximate guarantees", digits: 12, events: []string{epsilonDelta("1", "1e-6"), repeated(100, epsilonDelta("0.1", "1e-8")), repeated(10, epsilonDelta("0.1", "1e-4"))}}
	unequal := family{file: "epsilon_delta", group: "different guarantees", events: []string{composed(epsilonDelta("1", "0"), repeated(7, epsilonDelta("0.25", "1e-6")))}}
	z := family{file: "zcdp", group: "concentrated differential privacy", rough: true, events: append(each("0.01 0.2 2", zcdp), repeated(3, zcdp("0.1")))}
	dp := family{file: "dominating_pair", group: "points of a profile", events: []string{
		event("DominatingPairEvent", "profile", raw(`[["0","0.3"],["1","0.1"],["2","0.01"]]`)), repeated(5, event("DominatingPairEvent", "profile", raw(`[["0","0.3"],["1","0.1"],["2","0.01"]]`)))}}
	rc := family{file: "renyi_curve", group: "points of a Rényi curve", rough: true, events: []string{event("RenyiCurveEvent", "orders", list("2 8"), "values", list("0.05 0.2")), repeated(3, event("RenyiCurveEvent", "orders", list("2 8"), "values", list("0.05 0.2")))}}
	to := family{file: "trade_off", group: "points of a trade-off function", digits: 12, events: []string{
		event("TradeOffEvent", "points", raw(`[["0.1","0.6"],["0.3","0.3"],["0.6","0.1"]]`)), repeated(5, event("TradeOffEvent", "points", raw(`[["0.1","0.6"],["0.3","0.3"],["0.6","0.1"]]`)))}}
	nothing := family{file: "trivial", group: "nothing or everything is released", events: []string{
		`{"class_name":"NoOpDpEvent"}`, `{"class_name":"NonPrivateDpEvent"}`, composed(gaussian("5"), `{"class_name":"NonPrivateDpEvent"}`), composed(), poisson("0", gaussian("1"))}}
	return slices.Concat(
		pure.both("0 0.5 8 10", "1e-2 1e-6 1e-10"), pure.asks("renyi", "1.5 4"), pure.asks("tradeoff", "0.1"),
		approximate.both("0.5 2", "1e-3 1e-5 1e-9"), unequal.both("1", "1e-6 1e-4"),
		z.both("0.5", "1e-6 1e-10"), z.asks("renyi", "5"),
		dp.both("0.5 2", "0.05"), to.both("0.5 2", "0.05"), rc.both("1", "1e-5"), rc.asks("renyi", "2"),
		nothing.both("0 3", "1e-5"), nothing.asks("renyi", "2"),
	)
}

// samples are mechanisms on a part of the data.
func samples() []family {
	one := family{file: "poisson_gaussian", group: "one Poisson sample", events: []string{poisson("0.1", gaussian("0.5")), poisson("0.01", gaussian("1")), poisson("0.5", gaussian("2"))}}
	add, remove := one, one
	add.direction, remove.direction = "add", "remove"
	fractional := family{file: "poisson_gaussian", group: "orders that are no integers", events: []string{poisson("0.1", gaussian("1")), poisson("0.01", gaussian("0.5"))}}
	sgd := family{file: "poisson_gaussian", group: "DP-SGD", digits: 6, events: []string{
		repeated(1000, poisson("0.01", gaussian("1"))), repeated(50, poisson("0.2", gaussian("3"))), repeated(100, poisson("0.005", gaussian("0.8")))}}
	long := family{file: "poisson_gaussian", group: "long DP-SGD", digits: 6, events: []string{
		repeated(3515, poisson("256/60000", gaussian("1.3"))), repeated(10000, poisson("0.01", gaussian("4")))}}
	clt := family{file: "poisson_gaussian", group: "where the central limit theorem gives too little", digits: 10, events: []string{
		poisson("0.1", gaussian("1")), repeated(20, poisson("0.1", gaussian("1"))), repeated(100, poisson("0.05", gaussian("0.7")))}}
	tiny := family{file: "poisson_gaussian", group: "small δ", digits: 6, flags: []Flag{TailTruncation}, events: times(poisson("0.01", gaussian("1")), 100)}
	replaced := family{file: "poisson_gaussian", group: "one record replaced", digits: 3, relation: replaceOne, events: []string{poisson("0.1", gaussian("1")), repeated(10, poisson("0.1", gaussian("1")))}}
	special := replaced
	special.group, special.relation = "one record replaced by a null one", replaceSpecial
	lap := family{file: "poisson_laplace", group: "Poisson samples", digits: 4, events: []string{poisson("0.1", laplace("1")), repeated(10, poisson("0.1", laplace("1")))}}
	disc := family{file: "poisson_discrete", group: "Poisson samples of noise on the integers", events: []string{
		poisson("0.1", discreteLaplace("1", 1)), repeated(20, poisson("0.1", discreteLaplace("1", 1))), poisson("0.01", discreteGaussian("0.5", 1, "1"))}}
	divergence := family{file: "poisson_discrete", group: "a sampled discrete Gaussian is no sampled Gaussian", flags: []Flag{SampledDiscrete}, events: []string{
		poisson("0.01", discreteGaussian("0.5", 1, "1")), poisson("0.001", discreteGaussian("0.4", 1, "1"))}}
	pure := family{file: "poisson_guarantee", group: "samples of guarantees", events: []string{
		poisson("0.124", epsilonDelta("6.8", "4.08e-8")), poisson("0.1", epsilonDelta("1", "0")), repeated(20, poisson("0.1", epsilonDelta("1", "0")))}}
	rr := family{file: "poisson_guarantee", group: "samples of randomized response", relation: replaceSpecial, flags: []Flag{NoAmplification}, events: []string{poisson("0.25", randomizedResponse("0.5", 4)), poisson("0.1", epsilonDelta("1", "1e-6"))}}
	wor := family{file: "without_replacement", group: "samples of a fixed size", relation: replaceOne, digits: 3, events: []string{
		withoutReplacement(100, 10, laplace("1")), withoutReplacement(1000, 50, gaussian("1")), repeated(10, withoutReplacement(1000, 50, gaussian("1")))}}
	return slices.Concat(
		one.both("0.1 0.5 2", "1e-3 1e-6 1e-12"), add.both("0.5", "1e-4"), remove.both("0.5", "1e-4"), one.asks("renyi", "2 16"), one.asks("tradeoff", "0.1"),
		fractional.asks("renyi", "1.25 1.5 2.75 10.9"), sgd.both("1", "1e-5"), sgd.asks("renyi", "8"), long.asks("epsilon", "1e-5"),
		clt.asks("epsilon", "1e-2 1e-5"), tiny.asks("epsilon", "1e-12 1e-15"), replaced.both("1", "1e-3"), special.both("1", "1e-3"),
		lap.both("0.2", "1e-3 1e-6"), lap.asks("renyi", "4"), disc.both("0.2", "1e-3 1e-6"), divergence.asks("renyi", "1.5 1.9 4"),
		pure.both("0.05 1", "1e-3 4.08e-8"), rr.both("0.2", "1e-2"), wor.both("0.1", "1e-2"), wor.asks("renyi", "4"),
	)
}

// pairs are distributions given outright.
func pairs() []family {
	mix := family{file: "mixture_of_gaussians", group: "mixtures", digits: 3, events: []string{
		mixture("1", "0 1", "0.75 0.25"), mixture("2", "0 1 2", "0.5 0.25 0.25"), repeated(10, mixture("2", "0 1 2", "0.5 0.25 0.25"))}}
	fin := family{file: "finite_pair", group: "finite pairs", digits: 12, format: "decimal", events: []string{
		finitePair("0.5 0.3 0.2", "0.4 0.35 0.25"), repeated(20, finitePair("0.5 0.3 0.2", "0.4 0.35 0.25")),
		finitePair("0.99 0.01 0", "0.01 0.98 0.01"), repeated(50, finitePair("2/3 1/3", "1/3 2/3"))}}
	tg := family{file: "truncated_gaussian", group: "noise on a bounded range", events: []string{event("TruncatedGaussianEvent", "sigma", "1", "sensitivity", "1", "radius", "4"), event("TruncatedGaussianEvent", "sigma", "2", "sensitivity", "1", "radius", "10")}}
	tl := family{file: "truncated_laplace", group: "noise on a bounded range", digits: 4, events: []string{event("TruncatedLaplaceEvent", "scale", "1", "sensitivity", "1", "radius", "8"), event("TruncatedLaplaceEvent", "scale", "2", "sensitivity", "1", "radius", "20"), repeated(4, event("TruncatedLaplaceEvent", "scale", "2", "sensitivity", "1", "radius", "30"))}}
	cl := family{file: "clamped_laplace", group: "clamped noise", events: []string{event("ClampedLaplaceEvent", "location", "20", "scale", "4", "shift", "2", "order", "clamp-then-shift"), event("ClampedLaplaceEvent", "location", "20", "scale", "4", "shift", "2", "order", "shift-then-clamp")}}
	cg := family{file: "clamped_gaussian", group: "clamped noise", digits: 12, events: []string{event("ClampedGaussianEvent", "location", "20", "sigma", "4", "shift", "2", "order", "clamp-then-shift"), event("ClampedGaussianEvent", "location", "10", "sigma", "4", "shift", "2", "order", "shift-then-clamp")}}
	gp := family{file: "gaussian_pair", group: "Gaussians of unequal variance", digits: 12, events: []string{event("GaussianPairEvent", "sigma_p", "1.25", "sigma_q", "1", "shift", "0.5"), event("GaussianPairEvent", "sigma_p", "1", "sigma_q", "1.25", "shift", "0")}}
	th := family{file: "thresholded_noise", group: "counts of keys that only one record has", digits: 10, events: []string{
		event("ThresholdedNoiseEvent", "event", raw(laplace("2")), "threshold", "20", "keys", 1), event("ThresholdedNoiseEvent", "event", raw(gaussian("3")), "threshold", "15", "keys", 4)}}
	tr := family{file: "tree_aggregation", group: "trees of partial sums", relation: replaceSpecial, events: []string{
		event("SingleEpochTreeAggregationDpEvent", "noise_multiplier", "4", "step_counts", raw("[1023,1024,7]")), event("SingleEpochTreeAggregationDpEvent", "noise_multiplier", "4", "step_counts", raw("1")), repeated(5, event("SingleEpochTreeAggregationDpEvent", "noise_multiplier", "20", "step_counts", raw("2048")))}}
	al := family{file: "random_allocation", group: "one of many steps", rough: true, events: []string{event("RandomAllocationDpEvent", "event", raw(gaussian("2")), "num_selected", 1, "num_steps", 100)}}
	wr := family{file: "with_replacement", group: "samples with replacement", relation: replaceOne, rough: true, events: []string{event("SampledWithReplacementDpEvent", "source_dataset_size", 1000, "sample_size", 20, "event", raw(gaussian("2")))}}
	ts := family{file: "truncated_sample", group: "Poisson samples cut to a size", rough: true, events: []string{event("TruncatedSubsampledGaussianDpEvent", "dataset_size", 4, "sampling_probability", "0.5", "truncated_batch_size", 2, "noise_multiplier", "1")}}
	sh := family{file: "shuffled", group: "shuffled reports", relation: replaceOne, rough: true, events: []string{event("ShuffledEvent", "reports", 1000, "event", raw(epsilonDelta("1", "0"))), event("ShuffledEvent", "reports", 500, "event", raw(randomizedResponse("0.5", 4))), event("ShuffledEvent", "reports", 800, "event", raw(event("LocalRandomizerEvent", "table", raw(`[["0.5","0.375","0.125"],["0.25","0.375","0.375"],["0.375","0.25","0.375"]]`))))}}
	rs := family{file: "repeat_and_select", group: "the best of several runs", rough: true, events: []string{event("RepeatAndSelectDpEvent", "event", raw(gaussian("4")), "mean", "10", "shape", "1")}}
	gr := family{file: "group", group: "several records of one person", rough: true, events: []string{event("GroupEvent", "event", raw(gaussian("5")), "size", 3), event("GroupEvent", "event", raw(laplace("10")), "size", 2)}}
	mm := family{file: "matrix_mechanism", group: "correlated noise", rough: true, events: []string{event("MatrixMechanismEvent", "strategy", raw(`{"toeplitz":["1","0.5","0.375"],"steps":"100"}`), "min_separation", 10, "max_participations", 3, "noise_multiplier", "4")}}
	mc := family{file: "matrix_mechanism_cyclic", group: "correlated noise", events: []string{event("MatrixMechanismEvent", "strategy", raw(`{"toeplitz":["1","0.5","0.25"],"steps":"99"}`),
		"sampling", raw(`{"poisson_cyclic":{"bands":3,"probability":"0.1"}}`), "noise_multiplier", "4")}}
	li := family{file: "last_iterate", group: "the last point of noisy gradient descent", digits: 12, events: []string{event("LastIterateEvent", "contraction", "0.75", "steps", 20, "noise_multiplier", "4", "batches", 1), event("LastIterateEvent", "contraction", "0.5", "steps", 9, "noise_multiplier", "2", "batches", 3)}}
	mx := family{file: "maximum", group: "the worst of several mechanisms", digits: 10, events: []string{event("MaximumEvent", "events", listOf([]string{gaussian("3"), laplace("3")})), event("MaximumEvent", "events", listOf([]string{finitePair("0.5 0.5", "0.25 0.75"), epsilonDelta("0.5", "1e-3")}))}}
	me := family{file: "mean", group: "one of several mechanisms, drawn at random", digits: 10, events: []string{event("MeanOfEvents", "probabilities", list("0.75 0.25"), "events", listOf([]string{gaussian("3"), laplace("3")})), repeated(2, event("MeanOfEvents", "probabilities", list("0.5 0.5"), "events", listOf([]string{finitePair("0.5 0.5", "0.25 0.75"), epsilonDelta("0.5", "1e-3")})))}}
	an := family{file: "additive_noise", group: "noise of given masses", format: "decimal", events: []string{
		event("AdditiveNoiseEvent", "probabilities", list("0.05 0.2 0.25 0.25 0.2 0.05"), "cell", "1/2", "sensitivity", "1/2"), repeated(8, event("AdditiveNoiseEvent", "probabilities", list("0.05 0.2 0.25 0.25 0.2 0.05"), "cell", "1/2", "sensitivity", "1/2"))}}
	return slices.Concat(
		mix.both("0.25 1", "1e-3 1e-5"), fin.both("0 0.2 1.5", "1e-2 1e-6"), fin.asks("renyi", "2"), fin.asks("tradeoff", "0.1"),
		tg.both("0.5 1", "0.01 1e-3"), tl.both("0.25 0.5", "0.01"), cl.both("0.1 1", "0.01"), an.both("0.1 0.5", "0.1"),
		cg.both("0.1 0.5", "0.01"), gp.both("0.1 0.5", "0.01"), th.both("0.6", "1e-3"), mx.both("0.6", "1e-4"), me.both("0.6", "1e-4"), tr.both("0.5 2", "1e-6 1e-12"), tr.on(replaceOne).both("0.5", "1e-6"), al.both("0.25", "1e-3"),
		wr.both("0.5", "1e-3"), ts.both("1", "1e-3"), rs.both("1", "1e-4"), sh.both("0.2", "1e-6"), gr.both("0.5", "1e-5"), mm.both("1", "1e-6"), li.both("0.5", "1e-6"), mc.both("1", "1e-6"),
	)
}

// mixed are compositions of different mechanisms.
func mixed() []family {
	short := family{file: "composed", group: "different mechanisms", digits: 10, events: []string{
		repeated(10, composed(gaussian("8"), laplace("8"))), composed(laplace("2"), discreteLaplace("0.5", 1)), composed(gaussian("2"), epsilonDelta("0.5", "1e-7"))}}
	nested := family{file: "composed", group: "counts multiply", events: []string{repeated(6, repeated(7, laplace("8"))), repeated(3, composed(gaussian("3"), repeated(4, gaussian("6"))))}}
	prv := family{file: "composed", group: "the composition in the README of prv_accountant", digits: 3, events: []string{composed(
		repeated(100, poisson("0.005", gaussian("0.8"))), repeated(200, gaussian("8")), repeated(100, laplace("10")))}}
	return slices.Concat(short.both("1", "1e-5"), nested.both("1", "1e-5"), nested.asks("renyi", "2"), prv.asks("epsilon", "1e-6"))
}

// known are the questions by which failures were found or published: docs/findings.md.
func known() []family {
	// A transform of 200 pure releases, which has no digit left.
	pure := family{file: "epsilon_delta", group: "below what a transform in binary64 resolves", events: times(epsilonDelta("0.1", "0"), 200)}
	lap := family{file: "laplace", group: "below what a transform in binary64 resolves", digits: 5, events: times(laplace("1.1"), 653)}
	gauss := family{file: "gaussian", group: "a δ that binary64 cannot tell from 0", events: each("40 100", gaussian)}
	file := family{file: "gaussian", group: "a point of a grid", events: []string{gaussian("1")}}
	em := family{file: "exponential_mechanism", group: "found in accountants", rough: true, events: []string{repeated(21, exponential("0.468")), repeated(20, exponential("0.5"))}}
	wrap := family{file: "gaussian", group: "losses far from 0, where a window of a transform wraps around", flags: []Flag{WrapAround}, events: append(times(gaussian("1"), 200), repeated(1000, gaussian("2")))}
	wrapPure := wrap
	wrapPure.file, wrapPure.events = "epsilon_delta", times(epsilonDelta("2", "0"), 100)
	rounded := family{file: "rounded", group: "parameters as written, which binary64 cannot hold", format: "decimal", flags: []Flag{RoundedParameter},
		events: []string{epsilonDelta("0.1", "0"), laplace("0.1"), gaussian("0.1"), repeated(10, epsilonDelta("0.1", "0")), randomizedResponse("1/3", 3)}}
	nearest := rounded
	nearest.format, nearest.group = "", "the same, rounded to binary64 first"
	sgdReplaced := family{file: "without_replacement", group: "found in accountants", relation: replaceOne, digits: 8,
		events: []string{repeated(10, withoutReplacement(1000, 50, gaussian("1")))}}
	return slices.Concat(
		pure.both("11 12", "1e-13 1e-16"), lap.asks("epsilon", "1e-11"), gauss.both("0.5 1 2", "1e-300"), file.asks("delta", "1.95"), em.both("0.3", "1e-6"), em.asks("renyi", "2"),
		wrap.both("50 300", "1e-9"), wrapPure.both("100 199", "1e-9"),
		rounded.on(replaceOne).both("0.05 0.1", "1e-5"), nearest.on(replaceOne).both("0.05 0.1", "1e-5"), sgdReplaced.asks("renyi", "2 32"),
	)
}

// questions returns the catalogue, each question once.
func questions() []question {
	var out []question
	seen := make(map[string]bool)
	for _, f := range catalogue() {
		for _, event := range f.events {
			for _, at := range strings.Fields(f.at) {
				q := question{f, event, at}
				if id := q.test().TcID; !seen[id] {
					seen[id] = true
					out = append(out, q)
				}
			}
		}
	}
	return out
}
