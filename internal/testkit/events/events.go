// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package events makes random events for tests: of every class, nested, with sizes that fit.
package events

import (
	"math/big"
	"math/rand"

	"dpverify/internal/number"
	"dpverify/internal/testkit"
	"dpverify/mechanism"

	"github.com/leanovate/gopter"
)

var one = big.NewRat(1, 1)

// A Case wraps an event, because generators are for concrete types.
type Case struct{ Event mechanism.Event }

func (c Case) String() string { return string(mechanism.EncodeEvent(c.Event)) }

// Gen turns a random function into a gopter generator.
func Gen() gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(Case{Random(p.Rng, 4)}, gopter.NoShrinker)
	}
}

// Rand is a source of numbers.
func Rand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

// in draws random numbers until one is in the domain.
func in(d number.Domain, rng *rand.Rand) *big.Rat {
	for {
		if r := testkit.RandomRat(rng); d.Contains(r) {
			return r
		}
	}
}

// randomDistribution returns n probabilities with sum 1, some of them 0.
func randomDistribution(rng *rand.Rand, n int) []*big.Rat {
	weights := make([]int64, n)
	total := int64(0)
	for i := range weights {
		if rng.Intn(3) > 0 {
			weights[i] = rng.Int63n(1000)
		}
		total += weights[i]
	}
	if total == 0 {
		weights[0], total = 1, 1
	}
	ps := make([]*big.Rat, n)
	for i, w := range weights {
		ps[i] = big.NewRat(w, total)
	}
	return ps
}

func randomList(rng *rand.Rand, d number.Domain, n int) []*big.Rat {
	xs := make([]*big.Rat, n)
	for i := range xs {
		xs[i] = in(d, rng)
	}
	return xs
}

// increasingFrom returns n strictly increasing numbers above start.
func increasingFrom(rng *rand.Rand, start *big.Rat, n int) []*big.Rat {
	xs := make([]*big.Rat, n)
	for i := range xs {
		start = new(big.Rat).Add(start, in(number.Positive, rng))
		xs[i] = start
	}
	return xs
}

// randomLeaf returns an event that is neither composed nor sampled. Its
// parameters come from a small set half of the time, so that equal ones occur.
func randomLeaf(rng *rand.Rand) mechanism.Event {
	if rng.Intn(2) == 0 {
		return []mechanism.Event{mechanism.NoOp{}, mechanism.NonPrivate{}, mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}, mechanism.Gaussian{NoiseMultiplier: big.NewRat(2, 2)}, mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}}[rng.Intn(5)]
	}
	n := 1 + rng.Intn(4)
	switch rng.Intn(28) {
	case 24:
		return mechanism.Shuffled{Reports: 1 + rng.Int63n(mechanism.MaxCount), Event: []mechanism.Event{mechanism.EpsilonDelta{Epsilon: in(number.NonNegative, rng), Delta: new(big.Rat)}, mechanism.RandomizedResponse{NoiseParameter: in(number.Probability, rng), NumBuckets: 1 + rng.Int63n(mechanism.MaxCount)}}[rng.Intn(2)]}
	case 23:
		return mechanism.TruncatedSubsampledGaussian{DatasetSize: rng.Int63n(mechanism.MaxCount), SamplingProbability: in(number.Probability, rng), TruncatedBatchSize: rng.Int63n(mechanism.MaxTruncatedBatch), NoiseMultiplier: in(number.Positive, rng)}
	case 0:
		return mechanism.Gaussian{NoiseMultiplier: in(number.Positive, rng)}
	case 1:
		return mechanism.Laplace{NoiseMultiplier: in(number.Positive, rng)}
	case 2:
		return mechanism.RandomizedResponse{NoiseParameter: in(number.Probability, rng), NumBuckets: 1 + rng.Int63n(mechanism.MaxCount)}
	case 3:
		return mechanism.EpsilonDelta{Epsilon: in(number.NonNegative, rng), Delta: in(number.Probability, rng)}
	case 4:
		return mechanism.DiscreteLaplace{NoiseParameter: in(number.Positive, rng), Sensitivity: 1 + rng.Int63n(100)}
	case 5:
		return mechanism.DiscreteGaussian{Sigma: in(number.Positive, rng), Sensitivity: big.NewRat(rng.Int63n(100), 1+rng.Int63n(4)), Dimension: rng.Int63n(4)}
	case 6:
		return mechanism.ZCDP{Rho: in(number.NonNegative, rng), Xi: in(number.NonNegative, rng)}
	case 7:
		return mechanism.ExponentialMechanism{Epsilon: in(number.NonNegative, rng)}
	case 8:
		return mechanism.PermuteAndFlip{Epsilon: in(number.NonNegative, rng)}
	case 9:
		return mechanism.MixtureOfGaussians{StandardDeviation: in(number.Positive, rng), Sensitivities: randomList(rng, number.NonNegative, n), SamplingProbs: randomDistribution(rng, n)}
	case 10:
		return mechanism.FinitePair{P: randomDistribution(rng, n), Q: randomDistribution(rng, n)}
	case 11:
		return mechanism.TruncatedGaussian{Sigma: in(number.Positive, rng), Sensitivity: in(number.Positive, rng), Radius: in(number.Positive, rng)}
	case 12:
		return mechanism.TruncatedLaplace{Scale: in(number.Positive, rng), Sensitivity: in(number.Positive, rng), Radius: in(number.Positive, rng)}
	case 13:
		return mechanism.ClampedLaplace{Location: in(number.Any, rng), Scale: in(number.Positive, rng), Shift: in(number.Positive, rng), Order: mechanism.ClampOrder(rng.Intn(2))}
	case 14:
		return mechanism.Binomial{Trials: 1 + rng.Int63n(mechanism.MaxTrials), Probability: in(number.Probability, rng), Sensitivity: 1 + rng.Int63n(100)}
	case 15:
		var profile []mechanism.ProfilePoint
		for _, eps := range increasingFrom(rng, big.NewRat(-5, 1), n) {
			point := mechanism.ProfilePoint{Epsilon: eps, Delta: in(number.Probability, rng)}
			if mechanism.Validate(mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{point}}) != nil { // no pair has it
				point.Delta = one
			}
			profile = append(profile, point)
		}
		return mechanism.DominatingPair{Profile: profile}
	case 16:
		return mechanism.RenyiCurve{Orders: increasingFrom(rng, one, n), Values: randomList(rng, number.NonNegative, n)}
	case 17:
		ps, kind := randomDistribution(rng, n), mechanism.Lattice
		if n%2 == 0 {
			kind = mechanism.Density
		}
		return mechanism.AdditiveNoise{File: "", Probabilities: ps, Cell: in(number.Positive, rng), Sensitivity: in(number.NonNegative, rng), Kind: kind}
	case 18:
		return mechanism.SingleEpochTreeAggregation{NoiseMultiplier: in(number.Positive, rng), StepCounts: []int64{rng.Int63n(mechanism.MaxCount), rng.Int63n(9)}[:1+rng.Intn(2)]}
	case 19:
		return mechanism.ClampedGaussian{Location: in(number.Any, rng), Sigma: in(number.Positive, rng), Shift: in(number.Positive, rng), Order: mechanism.ClampOrder(rng.Intn(2))}
	case 20:
		noise := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: in(number.Positive, rng)}, mechanism.Laplace{NoiseMultiplier: in(number.Positive, rng)}, mechanism.DiscreteLaplace{NoiseParameter: in(number.Positive, rng), Sensitivity: rng.Int63n(3)},
			mechanism.DiscreteGaussian{Sigma: in(number.Positive, rng), Sensitivity: one, Dimension: rng.Int63n(2)}}[rng.Intn(4)]
		return mechanism.ThresholdedNoise{Event: noise, Threshold: in(number.Any, rng), Keys: 1 + rng.Int63n(100)}
	case 26:
		return mechanism.GaussianPair{SigmaP: in(number.Positive, rng), SigmaQ: in(number.Positive, rng), Shift: in(number.NonNegative, rng)}
	case 25:
		return mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: big.NewRat(rng.Int63n(4), 7), Beta: big.NewRat(rng.Int63n(4), 7)}, {Alpha: one, Beta: new(big.Rat)}}}
	case 21:
		s := mechanism.Strategy{Steps: 1 + rng.Int63n(3)}
		if rng.Intn(2) == 0 {
			s.Toeplitz = []*big.Rat{in(number.Positive, rng)}
		} else {
			s.Entries = []mechanism.Entry{{Row: 0, Column: 0, Value: in(number.Positive, rng)}, {Row: s.Steps, Column: 0, Value: in(number.Positive, rng)}}
			s.Steps++
		}
		return mechanism.MatrixMechanism{Strategy: s, MinSeparation: 1 + rng.Int63n(3), MaxParticipations: 1 + rng.Int63n(3), NoiseMultiplier: in(number.Positive, rng)}
	default:
		return mechanism.HistogramPair{PathP: "p.csv", PathQ: "q.csv", P: []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4), new(big.Rat)}, Q: []*big.Rat{big.NewRat(1, 3), new(big.Rat), big.NewRat(2, 3)}}
	}
}

// Random returns a valid event of the given depth at most. A maximum is no part of a sample, and drawn as the whole.
func Random(rng *rand.Rand, depth int) mechanism.Event {
	if depth == 0 || rng.Intn(16) > 0 {
		return randomSampled(rng, depth, 0)
	}
	es := make([]mechanism.Event, 1+rng.Intn(2))
	for i := range es {
		es[i] = randomSampled(rng, depth-1, 0)
	}
	return mechanism.Maximum{Events: es}
}

// unfixed is the size of a sample whose number of records is not fixed.
const unfixed = -1

// leafOn is a leaf on a sample of so many records; 0 is no sample.
func leafOn(rng *rand.Rand, records int64) mechanism.Event {
	for {
		e := randomLeaf(rng)
		if s, ok := e.(mechanism.Shuffled); ok && records != 0 {
			if records < 1 {
				continue
			}
			s.Reports = records
			return s
		}
		t, knowsSize := e.(mechanism.TruncatedSubsampledGaussian)
		switch {
		case !knowsSize || records == 0:
			return e
		case records > 0:
			t.DatasetSize = records
			return t
		}
	}
}

// randomSampled is Random on a sample of so many records; 0 is no sample.
func randomSampled(rng *rand.Rand, depth int, records int64) mechanism.Event {
	if depth == 0 {
		return leafOn(rng, records)
	}
	switch rng.Intn(10) {
	case 9:
		e := mechanism.RepeatAndSelect{Event: randomSampled(rng, depth-1, records), Mean: big.NewRat(1+rng.Int63n(9), 1), Shape: big.NewRat(rng.Int63n(5)-1, 2)}
		if rng.Intn(3) == 0 {
			e.Mean, e.Shape = big.NewRat(rng.Int63n(9), 2), nil
		}
		return e
	case 8:
		if records == unfixed {
			return leafOn(rng, records)
		}
		source, size := 1+rng.Int63n(3), rng.Int63n(4)
		if records > 0 {
			source = records
		}
		return mechanism.SampledWithReplacement{SourceDatasetSize: source, SampleSize: size, Event: randomSampled(rng, depth-1, size)}
	case 7:
		return mechanism.Group{Event: randomSampled(rng, depth-1, records), Size: 1 + rng.Int63n(3)}
	case 0:
		return mechanism.SelfComposed{Event: randomSampled(rng, depth-1, records), Count: 1 + rng.Int63n(4)}
	case 1, 2:
		es := make([]mechanism.Event, rng.Intn(4))
		for i := range es {
			es[i] = randomSampled(rng, depth-1, records)
		}
		return mechanism.Composed{Events: es}
	case 3:
		q, left := in(number.Probability, rng), int64(unfixed)
		if q.Cmp(one) == 0 {
			left = records
		}
		return mechanism.PoissonSampled{SamplingProbability: q, Event: randomSampled(rng, depth-1, left)}
	case 4:
		source := 1 + rng.Int63n(3)
		if records > 0 {
			source = records
		}
		size := rng.Int63n(source + 1)
		return mechanism.SampledWithoutReplacement{SourceDatasetSize: source, SampleSize: size, Event: randomSampled(rng, depth-1, size)}
	case 5:
		steps := 1 + rng.Int63n(4)
		selected, left := rng.Int63n(steps+1), int64(unfixed)
		if selected == steps {
			left = records
		}
		return mechanism.RandomAllocation{Event: randomSampled(rng, depth-1, left), NumSelected: selected, NumSteps: steps}
	default:
		return leafOn(rng, records)
	}
}
