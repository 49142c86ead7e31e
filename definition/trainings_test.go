// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// A training is one way of sampling, and what is composed of it or beside it.
type training struct {
	name string
	draw func(g generator) mechanism.Event
}

// inner draws what is released in a step.
func (g generator) inner() mechanism.Event {
	return classNamed([]string{"GaussianDpEvent", "GaussianDpEvent", "FinitePairEvent", "RandomizedResponseDpEvent", "LaplaceDpEvent"}[g.Intn(5)]).draw(g, 0, 0)
}

func (g generator) allocation(inside mechanism.Event, selected int64) mechanism.RandomAllocation {
	return mechanism.RandomAllocation{Event: inside, NumSelected: selected, NumSteps: selected + g.Int63n(3)}
}

// matrix draws a strategy of up to four steps, whose numbers are mostly not negative.
func matrix(kind mechanism.SamplingKind) func(g generator) mechanism.Event {
	return func(g generator) mechanism.Event {
		e := mechanism.MatrixMechanism{NoiseMultiplier: g.noise(), Sampling: &mechanism.MatrixSampling{Kind: kind, Size: 1 + g.Int63n(3)}}
		e.Strategy = mechanism.Strategy{Steps: 1 + g.Int63n(4), Toeplitz: []*big.Rat{rat("1")}}
		for len(e.Strategy.Toeplitz) < int(min(e.Strategy.Steps, e.Sampling.Size)) {
			e.Strategy.Toeplitz = append(e.Strategy.Toeplitz, g.of("1/2", "1", "1/3", "-1/2"))
		}
		if kind == mechanism.RandomSteps {
			e.Sampling.Size = min(e.Sampling.Size, e.Strategy.Steps)
		} else if kind != mechanism.BallsInBins {
			e.Sampling.Probability = g.rate()
		}
		if g.Intn(3) == 0 {
			return mechanism.SelfComposed{Event: e, Count: 2}
		}
		return e
	}
}

// alike draws an event of a class, alone or twice.
func alike(class string) func(g generator) mechanism.Event {
	return func(g generator) mechanism.Event {
		e := classNamed(class).draw(g, 1, 0)
		if g.Intn(3) == 0 {
			return mechanism.SelfComposed{Event: e, Count: 2}
		}
		return e
	}
}

var trainings = []training{
	{"allocation to one step", func(g generator) mechanism.Event { return g.allocation(g.inner(), 1) }},
	{"allocation to several steps", func(g generator) mechanism.Event { return g.allocation(g.inner(), 2) }},
	{"sampled allocation", func(g generator) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: g.of("1/2", "1/3", "9/10"), Event: g.allocation(g.inner(), 1+g.Int63n(2))}
	}},
	{"balls in bins", func(g generator) mechanism.Event {
		return g.allocation(mechanism.SelfComposed{Event: g.inner(), Count: 1 + g.Int63n(2)}, 1)
	}},
	{"epochs of allocations", func(g generator) mechanism.Event {
		return mechanism.SelfComposed{Event: g.allocation(g.inner(), 1), Count: 2}
	}},
	{"matrix, poisson_cyclic", matrix(mechanism.PoissonCyclic)},
	{"matrix, balls_in_bins", matrix(mechanism.BallsInBins)},
	{"matrix, min_separation", matrix(mechanism.MinSeparation)},
	{"matrix, random_shift", matrix(mechanism.RandomShift)},
	{"matrix, allocation", matrix(mechanism.RandomSteps)},
	{"fixed batches", alike("SampledWithoutReplacementDpEvent")},
	{"fixed batches with replacement", alike("SampledWithReplacementDpEvent")},
	{"truncated samples", alike("TruncatedSubsampledGaussianDpEvent")},
	{"a random order", alike("ShuffledBatchesEvent")},
	{"mixtures", alike("GaussianMixturePairEvent")},
	{"mean of events", alike("MeanOfEvents")},
	{"shuffled reports", alike("ShuffledEvent")},
	{"last iterate", alike("LastIterateEvent")},
	{"exponential mechanisms", alike("ExponentialMechanismDpEvent")},
	{"permute-and-flip", alike("PermuteAndFlipDpEvent")},
	{"selections", alike("RepeatAndSelectDpEvent")},
}

// TestNoTrainingIsAbove: the same as of trees, of each way in which trainings sample, in turn.
func TestNoTrainingIsAbove(t *testing.T) {
	first := rand.New(rand.NewSource(2)).Intn(len(trainings))
	counts := noneIsAbove(t, testkit.Draws(len(trainings)/12, len(trainings)/2, 2000), func(r *rand.Rand, drawn int) trial {
		kind := trainings[(first+drawn)%len(trainings)]
		x := trial{quantity: drawQuantity(r), cells: 24, training: kind.name}
		if !testkit.Long() {
			x.quantity = deltaAt(rat("1/2"))
		}
		x.Event = kind.draw(generator{r, &[]string{}, true})
		return x
	})
	for _, kind := range trainings {
		n := 0
		for at, k := range counts {
			if at.class == kind.name {
				n += k
			}
		}
		t.Logf("%s: %d", kind.name, n)
		if n == 0 && testkit.Long() {
			t.Errorf("none of %s was run", kind.name)
		}
	}
}
