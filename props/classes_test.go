// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// representatives has events of every class, one each, and what is degenerate: empty lists,
// rates and sizes 0, nesting.
func representatives(t *testing.T) []mechanism.Event {
	var out []mechanism.Event
	for _, s := range []string{
		`{"class_name":"NoOpDpEvent"}`,
		`{"class_name":"NonPrivateDpEvent"}`,
		`{"class_name":"GaussianDpEvent","noise_multiplier":1}`,
		`{"class_name":"LaplaceDpEvent","noise_multiplier":1}`,
		`{"class_name":"RandomizedResponseDpEvent","noise_parameter":"0.5","num_buckets":3}`,
		`{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":"0.01"}`,
		`{"class_name":"DiscreteLaplaceDpEvent","noise_parameter":"0.5","sensitivity":1}`,
		`{"class_name":"DiscreteGaussianDpEvent","sigma":1,"sensitivity":1,"dimension":1}`,
		`{"class_name":"ZCDpEvent","rho":"0.5"}`,
		`{"class_name":"ExponentialMechanismDpEvent","epsilon":1}`,
		`{"class_name":"PermuteAndFlipDpEvent","epsilon":1}`,
		`{"class_name":"MixtureOfGaussiansDpEvent","standard_deviation":1,"sensitivities":[0,1],"sampling_probs":["0.9","0.1"]}`,
		`{"module_name":"dpverify","class_name":"FinitePairEvent","p":["0.75","0.25",0],"q":["0.25","0.5","0.25"]}`,
		`{"module_name":"dpverify","class_name":"TruncatedGaussianEvent","sigma":1,"sensitivity":1,"radius":3}`,
		`{"module_name":"dpverify","class_name":"TruncatedLaplaceEvent","scale":1,"sensitivity":1,"radius":3}`,
		`{"module_name":"dpverify","class_name":"ClampedLaplaceEvent","location":2,"scale":1,"shift":1,"order":"clamp-then-shift"}`,
		`{"module_name":"dpverify","class_name":"ClampedGaussianEvent","location":2,"sigma":1,"shift":1,"order":"clamp-then-shift"}`,
		`{"module_name":"dpverify","class_name":"ClampedGaussianEvent","location":-1,"sigma":1,"shift":1,"order":"shift-then-clamp"}`,
		`{"module_name":"dpverify","class_name":"ThresholdedNoiseEvent","event":{"class_name":"LaplaceDpEvent","noise_multiplier":1},"threshold":5,"keys":2}`,
		`{"class_name":"SingleEpochTreeAggregationDpEvent","noise_multiplier":2,"step_counts":[7,0]}`,
		`{"class_name":"SingleEpochTreeAggregationDpEvent","noise_multiplier":2,"step_counts":0}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.1","event":{"class_name":"SingleEpochTreeAggregationDpEvent","noise_multiplier":2,"step_counts":3}}`,
		`{"module_name":"dpverify","class_name":"GroupEvent","event":{"class_name":"EpsilonDeltaDpEvent","epsilon":"0.5","delta":"0.01"},"size":3}`,
		`{"module_name":"dpverify","class_name":"GroupEvent","event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.1","event":{"class_name":"GaussianDpEvent","noise_multiplier":1}},"size":2}`,
		`{"module_name":"dpverify","class_name":"GroupEvent","event":{"class_name":"ComposedDpEvent","events":[]},"size":2}`,
		`{"module_name":"dpverify","class_name":"MaximumEvent","events":[{"class_name":"GaussianDpEvent","noise_multiplier":2},{"module_name":"dpverify","class_name":"FinitePairEvent","p":["0.75","0.25",0],"q":["0.25","0.5","0.25"]}]}`,
		`{"module_name":"dpverify","class_name":"MaximumEvent","events":[{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0},{"class_name":"NoOpDpEvent"}]}`,
		`{"module_name":"dpverify","class_name":"MatrixMechanismEvent","strategy":{"toeplitz":[1,"0.5"],"steps":9},"min_separation":3,"max_participations":2,"noise_multiplier":2}`,
		`{"module_name":"dpverify","class_name":"MatrixMechanismEvent","strategy":{"entries":[[0,0,1],[1,0,-1],[1,1,1]],"steps":2},"min_separation":1,"max_participations":2,"noise_multiplier":2}`,
		`{"module_name":"dpverify","class_name":"BinomialEvent","trials":10,"probability":"0.5","sensitivity":1}`,
		`{"module_name":"dpverify","class_name":"AdditiveNoiseEvent","probabilities":["0.1","0.4","0.4","0.1"],"cell":1,"sensitivity":1}`,
		`{"module_name":"dpverify","class_name":"AdditiveNoiseEvent","probabilities":["0.3","0.1","0.2","0.4"],"cell":1,"sensitivity":"3/2"}`,
		`{"module_name":"dpverify","class_name":"DominatingPairEvent","profile":[[0,"0.3"],[1,"0.1"]]}`,
		`{"module_name":"dpverify","class_name":"GaussianPairEvent","sigma_p":2,"sigma_q":1,"shift":1}`,
		`{"module_name":"dpverify","class_name":"GaussianPairEvent","sigma_p":"0.5","sigma_q":1,"shift":0}`,
		`{"module_name":"dpverify","class_name":"TradeOffEvent","points":[["0.1","0.6"],["0.3","0.3"],["0.6","0.1"]]}`,
		`{"module_name":"dpverify","class_name":"RenyiCurveEvent","orders":[2,8],"values":["0.5",2]}`,
		`{"class_name":"ComposedDpEvent","events":[]}`,
		`{"class_name":"ComposedDpEvent","events":[{"class_name":"GaussianDpEvent","noise_multiplier":1},{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0}]}`,
		`{"class_name":"SelfComposedDpEvent","event":{"class_name":"ComposedDpEvent","events":[]},"count":3}`,
		`{"class_name":"SelfComposedDpEvent","event":{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0},"count":3}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":0,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":0,"event":{"class_name":"LaplaceDpEvent","noise_multiplier":1}}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.1","event":{"class_name":"ComposedDpEvent","events":[]}}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.1","event":{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0}}`,
		`{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.5","event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.5","event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}}`,
		`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":10,"sample_size":0,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}`,
		`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":10,"sample_size":5,"event":{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":5,"sample_size":0,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}}`,
		`{"class_name":"SampledWithoutReplacementDpEvent","source_dataset_size":10,"sample_size":2,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1}}`,
		`{"class_name":"SampledWithReplacementDpEvent","source_dataset_size":10,"sample_size":3,"event":{"class_name":"GaussianDpEvent","noise_multiplier":2}}`,
		`{"class_name":"TruncatedSubsampledGaussianDpEvent","dataset_size":2,"sampling_probability":"0.5","truncated_batch_size":1,"noise_multiplier":1}`,
		`{"class_name":"LocalRandomizerEvent","table":[["1/2","1/2"],["1/4","3/4"]]}`,
		`{"class_name":"LastIterateEvent","contraction":"0.9","steps":10,"noise_multiplier":2,"batches":3}`,
		`{"class_name":"ShuffledEvent","reports":20,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0}}`,
		`{"class_name":"RepeatAndSelectDpEvent","event":{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0},"mean":3,"shape":1}`,
		`{"class_name":"RandomAllocationDpEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":2},"num_selected":1,"num_steps":2}`,
		`{"class_name":"RandomAllocationDpEvent","event":{"class_name":"EpsilonDeltaDpEvent","epsilon":1,"delta":0},"num_selected":1,"num_steps":3}`,
	} {
		e, err := mechanism.DecodeEvent([]byte(s))
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		out = append(out, e)
	}
	out = append(out, mechanism.HistogramPair{PathP: "p.csv", PathQ: "q.csv", P: rats("1/2", "1/2"), Q: rats("1/3", "2/3")})
	for _, c := range mechanism.Descriptions() { // what is new, by its example
		if slices.ContainsFunc(out, func(e mechanism.Event) bool { return e.ClassName() == c.Class }) {
			continue
		}
		e, err := mechanism.DecodeEvent([]byte(c.Example))
		if err != nil {
			t.Fatalf("%s: %v", c.Example, err)
		}
		out = append(out, e)
	}
	return out
}

// An occasion is when TestEveryClass asks for a quantity.
type occasion int

const (
	always   occasion = iota
	ofBoth            // of a single direction it is nearly the same work again: under DPVERIFY_LONG only
	longOnly          // under DPVERIFY_LONG
)

func unlessSlow(e mechanism.Event) occasion {
	if slow(e) {
		return ofBoth
	}
	return always
}

// unlessOverdue is about divergences of finite orders. The quick run would end before some are there, and they cannot
// be interrupted.
func unlessOverdue(e mechanism.Event) occasion {
	switch e.(type) {
	case mechanism.RandomAllocation, mechanism.ShuffledBatches, mechanism.TruncatedSubsampledGaussian:
		return longOnly
	}
	return unlessSlow(e)
}

// unlessFar is about the divergence of order 1, which few have in closed form, and about the ε of δ = 0, which is found
// to be infinite by looking ever farther.
func unlessFar(e mechanism.Event) occasion {
	switch e := e.(type) {
	case mechanism.SampledWithReplacement:
		return longOnly
	case mechanism.Group:
		if len(children(e.Event)) > 0 {
			return longOnly
		}
	}
	return max(ofBoth, unlessOverdue(e))
}

// TestEveryClass: every class, under every relation, in every direction and for every
// quantity, has an answer or an error that says which relation or direction has no meaning. A
// probability lies in [0, 1], a divergence is not negative. Without DPVERIFY_LONG, one relation and one single
// direction of each event have their turn, and what takes longer than 30 ms is left out; with it, a second is waited,
// and asked is what takes a search or a series in single directions, too, and divergences that are integrals. What is
// prepared once for all quantities may take a second.
func TestEveryClass(t *testing.T) {
	t.Parallel()
	limit, all := 30*time.Millisecond, os.Getenv("DPVERIFY_LONG") != ""
	if all {
		limit = time.Second
	}
	nowhere := map[string]bool{} // classes without an answer
	for _, name := range mechanism.ClassNames() {
		nowhere[name] = true
	}
	unit := interval.Bounds(interval.Int(0).Lo(), interval.Int(1).Hi())
	for turn, e := range representatives(t) {
		quantities := []struct {
			quantity
			probability, signed bool
			when                occasion
		}{
			{deltaAt(rat("1/2")), true, false, unlessSlow(e)}, {deltaAt(rat("-1")), true, false, ofBoth}, {variation(), true, false, unlessSlow(e)},
			{epsilonAt(zero), false, true, unlessFar(e)}, {epsilonAt(one), false, true, ofBoth},
			{renyiAt(renyi.At(half)), false, false, unlessOverdue(e)}, {renyiAt(renyi.At(one)), false, false, unlessFar(e)},
			{renyiAt(renyi.At(two)), false, false, unlessOverdue(e)}, {renyiAt(renyi.Infinity), false, false, always},
			{tradeOffAt(one), true, false, ofBoth},
		}
		for _, rel := range testkit.InTurn(turn, relations) {
			for _, d := range append(testkit.InTurn(turn, []mechanism.Direction{mechanism.Remove, mechanism.Add}), mechanism.Both) {
				a := &asked{Question: exact.Question{Event: e, Relation: rel, Direction: d}}
				if text := violation(variation(), func(quantity) error { // for all quantities
					if !all && d != mechanism.Both && slow(e) {
						return nil
					}
					ctx, cancel := context.WithTimeout(background, time.Second)
					defer cancel()
					if _, err := a.prepared(ctx); errors.Is(err, context.DeadlineExceeded) {
						a.err = nil
					}
					return nil
				}); text != "" {
					t.Errorf("%s", text)
				}
				for _, q := range quantities {
					if !all && (q.when == longOnly || q.when == ofBoth && d != mechanism.Both) {
						continue
					}
					if text := violation(q.quantity, func(what quantity) error {
						ctx, cancel := context.WithTimeout(background, limit)
						defer cancel()
						y, err := a.answer(ctx, what)
						switch {
						case errors.Is(err, context.DeadlineExceeded):
							return nil
						case err != nil:
							return err
						case y.meaningless != nil:
							return nil
						}
						delete(nowhere, e.ClassName())
						if q.probability && !unit.Encloses(y.Interval) || !q.signed && y.Lo().Sign() < 0 {
							return fmt.Errorf("%s", y)
						}
						return nil
					}); text != "" {
						t.Errorf("%s", text)
					}
				}
			}
		}
	}
	for _, e := range representatives(t) { // on a busy machine nothing may be answered in the time above
		if !nowhere[e.ClassName()] {
			continue
		}
		for _, rel := range relations {
			a := &asked{Question: exact.Question{Event: e, Relation: rel}}
			if y, err := a.answer(background, deltaAt(rat("1/2"))); err == nil && y.meaningless == nil && unit.Encloses(y.Interval) {
				delete(nowhere, e.ClassName())
				break
			}
		}
	}
	for name := range nowhere {
		t.Errorf("no answer about the class %s: representatives needs an event of it", name)
	}
}
