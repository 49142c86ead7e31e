// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"
	"math/rand"

	"dpverify/internal/testkit"
	"dpverify/number"

	"github.com/leanovate/gopter"
)

// An eventCase wraps an event, because generators are for concrete types.
type eventCase struct{ Event Event }

func (c eventCase) String() string { return string(EncodeEvent(c.Event)) }

// genEvent turns a random function into a gopter generator.
func genEvent() gopter.Gen {
	return func(p *gopter.GenParameters) *gopter.GenResult {
		return gopter.NewGenResult(eventCase{randomEvent(p.Rng, 4)}, gopter.NoShrinker)
	}
}

func newRand(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }

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
func randomLeaf(rng *rand.Rand) Event {
	if rng.Intn(2) == 0 {
		return []Event{NoOp{}, NonPrivate{}, Gaussian{big.NewRat(1, 1)}, Gaussian{big.NewRat(2, 2)}, Laplace{big.NewRat(1, 1)}}[rng.Intn(5)]
	}
	n := 1 + rng.Intn(4)
	switch rng.Intn(25) {
	case 24:
		return Shuffled{1 + rng.Int63n(MaxCount), []Event{EpsilonDelta{in(number.NonNegative, rng), new(big.Rat)}, RandomizedResponse{in(number.Probability, rng), 1 + rng.Int63n(MaxCount)}}[rng.Intn(2)]}
	case 23:
		return TruncatedSubsampledGaussian{rng.Int63n(MaxCount), in(number.Probability, rng), rng.Int63n(MaxTruncatedBatch), in(number.Positive, rng)}
	case 0:
		return Gaussian{in(number.Positive, rng)}
	case 1:
		return Laplace{in(number.Positive, rng)}
	case 2:
		return RandomizedResponse{in(number.Probability, rng), 1 + rng.Int63n(MaxCount)}
	case 3:
		return EpsilonDelta{in(number.NonNegative, rng), in(number.Probability, rng)}
	case 4:
		return DiscreteLaplace{in(number.Positive, rng), 1 + rng.Int63n(100)}
	case 5:
		return DiscreteGaussian{in(number.Positive, rng), big.NewRat(rng.Int63n(100), 1+rng.Int63n(4)), rng.Int63n(4)}
	case 6:
		return ZCDP{in(number.NonNegative, rng), in(number.NonNegative, rng)}
	case 7:
		return ExponentialMechanism{in(number.NonNegative, rng)}
	case 8:
		return PermuteAndFlip{in(number.NonNegative, rng)}
	case 9:
		return MixtureOfGaussians{in(number.Positive, rng), randomList(rng, number.NonNegative, n), randomDistribution(rng, n)}
	case 10:
		return FinitePair{randomDistribution(rng, n), randomDistribution(rng, n)}
	case 11:
		return TruncatedGaussian{in(number.Positive, rng), in(number.Positive, rng), in(number.Positive, rng)}
	case 12:
		return TruncatedLaplace{in(number.Positive, rng), in(number.Positive, rng), in(number.Positive, rng)}
	case 13:
		return ClampedLaplace{in(number.Any, rng), in(number.Positive, rng), in(number.Positive, rng), ClampOrder(rng.Intn(2))}
	case 14:
		return Binomial{1 + rng.Int63n(MaxTrials), in(number.Probability, rng), 1 + rng.Int63n(100)}
	case 15:
		var profile []ProfilePoint
		for _, eps := range increasingFrom(rng, big.NewRat(-5, 1), n) {
			point := ProfilePoint{eps, in(number.Probability, rng)}
			if !point.attainable() {
				point.Delta = one
			}
			profile = append(profile, point)
		}
		return DominatingPair{profile}
	case 16:
		return RenyiCurve{increasingFrom(rng, one, n), randomList(rng, number.NonNegative, n)}
	case 17:
		ps, kind := randomDistribution(rng, n), Lattice
		if n%2 == 0 {
			kind = Density
		}
		return AdditiveNoise{"", ps, in(number.Positive, rng), in(number.NonNegative, rng), kind}
	case 18:
		return SingleEpochTreeAggregation{in(number.Positive, rng), []int64{rng.Int63n(MaxCount), rng.Int63n(9)}[:1+rng.Intn(2)]}
	case 19:
		return ClampedGaussian{in(number.Any, rng), in(number.Positive, rng), in(number.Positive, rng), ClampOrder(rng.Intn(2))}
	case 20:
		noise := []Event{Gaussian{in(number.Positive, rng)}, Laplace{in(number.Positive, rng)}, DiscreteLaplace{in(number.Positive, rng), rng.Int63n(3)},
			DiscreteGaussian{in(number.Positive, rng), one, rng.Int63n(2)}}[rng.Intn(4)]
		return ThresholdedNoise{noise, in(number.Any, rng), 1 + rng.Int63n(100)}
	case 21:
		s := Strategy{Steps: 1 + rng.Int63n(3)}
		if rng.Intn(2) == 0 {
			s.Toeplitz = []*big.Rat{in(number.Positive, rng)}
		} else {
			s.Entries = []Entry{{0, 0, in(number.Positive, rng)}, {s.Steps, 0, in(number.Positive, rng)}}
			s.Steps++
		}
		return MatrixMechanism{s, 1 + rng.Int63n(3), 1 + rng.Int63n(3), in(number.Positive, rng)}
	default:
		return HistogramPair{"p.csv", "q.csv", []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 4), new(big.Rat)}, []*big.Rat{big.NewRat(1, 3), new(big.Rat), big.NewRat(2, 3)}}
	}
}

// randomEvent returns a valid event of the given depth at most.
func randomEvent(rng *rand.Rand, depth int) Event { return randomSampled(rng, depth, 0) }

// unfixed is the size of a sample whose number of records is not fixed.
const unfixed = -1

// leafOn is a leaf on a sample of so many records; 0 is no sample.
func leafOn(rng *rand.Rand, records int64) Event {
	for {
		e := randomLeaf(rng)
		if s, ok := e.(Shuffled); ok && records != 0 {
			if records < 1 {
				continue
			}
			s.Reports = records
			return s
		}
		t, knowsSize := e.(TruncatedSubsampledGaussian)
		switch {
		case !knowsSize || records == 0:
			return e
		case records > 0:
			t.DatasetSize = records
			return t
		}
	}
}

// randomSampled is randomEvent on a sample of so many records; 0 is no sample.
func randomSampled(rng *rand.Rand, depth int, records int64) Event {
	if depth == 0 {
		return leafOn(rng, records)
	}
	switch rng.Intn(10) {
	case 9:
		e := RepeatAndSelect{randomSampled(rng, depth-1, records), big.NewRat(1+rng.Int63n(9), 1), big.NewRat(rng.Int63n(5)-1, 2)}
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
		return SampledWithReplacement{source, size, randomSampled(rng, depth-1, size)}
	case 7:
		return Group{randomSampled(rng, depth-1, records), 1 + rng.Int63n(3)}
	case 0:
		return SelfComposed{randomSampled(rng, depth-1, records), 1 + rng.Int63n(4)}
	case 1, 2:
		es := make([]Event, rng.Intn(4))
		for i := range es {
			es[i] = randomSampled(rng, depth-1, records)
		}
		return Composed{es}
	case 3:
		q, left := in(number.Probability, rng), int64(unfixed)
		if q.Cmp(one) == 0 {
			left = records
		}
		return PoissonSampled{q, randomSampled(rng, depth-1, left)}
	case 4:
		source := 1 + rng.Int63n(3)
		if records > 0 {
			source = records
		}
		size := rng.Int63n(source + 1)
		return SampledWithoutReplacement{source, size, randomSampled(rng, depth-1, size)}
	case 5:
		steps := 1 + rng.Int63n(4)
		selected, left := rng.Int63n(steps+1), int64(unfixed)
		if selected == steps {
			left = records
		}
		return RandomAllocation{randomSampled(rng, depth-1, left), selected, steps}
	default:
		return leafOn(rng, records)
	}
}
