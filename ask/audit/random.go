// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

// Random returns n random cases. The i-th depends on the seed and i only.
//
// They are compositions of mechanisms, common ones more often than others, with
// parameters and counts on a logarithmic scale and a third of them at round or awkward
// values, and δ from 10^−2 to 10^−30. Half of them ask for ε.
func Random(seed uint64, n int) []Case {
	out := make([]Case, n)
	for i := range out {
		g := generator{rand.New(rand.NewPCG(seed, uint64(i)))}
		out[i] = g.next()
		out[i].ID = fmt.Sprintf("random-%d-%d", seed, i)
	}
	return out
}

type generator struct{ r *rand.Rand }

func (g generator) next() Case {
	var c Case
	switch g.r.IntN(12) {
	case 0, 1:
		c.Relation, c.Event = mechanism.ReplaceOne, g.composed(g.replaceOne)
	case 2:
		c.Relation, c.Event = mechanism.ReplaceSpecial, g.composed(g.replaceSpecial)
	default:
		c.Event = g.composed(g.addOrRemove)
	}
	switch g.r.IntN(12) {
	case 0, 1, 2:
		c.Quantity, c.At = Delta, g.logUniform(0.01, 20)
	case 3, 4:
		c.Quantity, c.At = Renyi, g.order()
	case 5:
		c.Quantity, c.At = TradeOff, g.logUniform(0.001, 0.9)
	default:
		c.Quantity, c.At = Epsilon, g.delta()
	}
	return c
}

// delta returns a number from 10^−30 to 10^−2.
func (g generator) delta() *big.Rat {
	e := 2 + g.r.IntN(29)
	m := int64(1)
	if e > 2 && g.r.IntN(3) == 0 {
		m = 1 + g.r.Int64N(9)
	}
	return new(big.Rat).Quo(big.NewRat(m, 1), number.PowerOfTen(e))
}

// order returns an order of a Rényi divergence above 1, half of them integers.
func (g generator) order() *big.Rat {
	if g.r.IntN(2) == 0 {
		return big.NewRat(2+g.r.Int64N(63), 1)
	}
	return new(big.Rat).Add(one, g.logUniform(0.01, 30))
}

// A leaf is a mechanism, and how many copies of it a composition may have.
type leaf struct {
	mechanism.Event
	most float64
}

const many, few = 5000, 50

// composed returns one mechanism, many copies of one, or a few different ones.
func (g generator) composed(next func() leaf) mechanism.Event {
	switch g.r.IntN(5) {
	case 0:
		return next().Event
	case 1:
		events := make([]mechanism.Event, 2+g.r.IntN(2))
		for i := range events {
			l := next()
			l.most = min(l.most, 100)
			events[i] = g.times(l)
		}
		return mechanism.Composed{Events: events}
	}
	return g.times(next())
}

// times composes a mechanism with itself.
func (g generator) times(l leaf) mechanism.Event {
	n := int64(math.Exp(g.r.Float64() * math.Log(l.most)))
	if n <= 1 {
		return l.Event
	}
	return mechanism.SelfComposed{Event: l.Event, Count: n}
}

// maximum returns the worst of two mechanisms.
func (g generator) maximum() mechanism.Event {
	return mechanism.Maximum{Events: []mechanism.Event{g.gaussian(), mechanism.Laplace{NoiseMultiplier: g.logUniform(0.5, 20)}}}
}

// addOrRemove returns a mechanism under ADD_OR_REMOVE_ONE.
func (g generator) addOrRemove() leaf {
	switch g.r.IntN(15) {
	case 14:
		return leaf{mechanism.RepeatAndSelect{Event: g.gaussian(), Mean: g.logUniform(2, 100), Shape: big.NewRat(g.r.Int64N(3), 1)}, 1}
	case 13:
		return leaf{mechanism.TruncatedSubsampledGaussian{DatasetSize: 1 + g.r.Int64N(1000), SamplingProbability: g.logUniform(0.01, 0.3), TruncatedBatchSize: 1 + g.r.Int64N(100), NoiseMultiplier: g.logUniform(0.7, 5)}, few}
	case 12:
		return leaf{mechanism.RandomAllocation{Event: g.gaussian(), NumSelected: 1, NumSteps: 2 + g.r.Int64N(100)}, 1}
	case 0, 1, 2, 3:
		return leaf{g.poisson(g.additive()), many}
	case 4:
		return leaf{g.poisson(g.pointGuarantee()), few}
	case 5:
		return leaf{g.mixture(), few}
	}
	return g.anywhere()
}

// replaceOne returns a mechanism under REPLACE_ONE.
func (g generator) replaceOne() leaf {
	switch g.r.IntN(10) {
	case 9:
		return leaf{mechanism.Shuffled{Reports: 10 + g.r.Int64N(1000), Event: mechanism.EpsilonDelta{Epsilon: g.logUniform(0.3, 3), Delta: new(big.Rat)}}, 1}
	case 0, 1:
		return leaf{g.randomizedResponse(), many}
	case 2:
		size := 1 + g.r.Int64N(10000)
		return leaf{mechanism.SampledWithoutReplacement{SourceDatasetSize: size, SampleSize: 1 + g.r.Int64N(1+size/5), Event: g.common()}, few}
	case 3:
		return leaf{g.poisson(g.gaussian()), few}
	case 4:
		size := 10 + g.r.Int64N(10000)
		return leaf{mechanism.SampledWithReplacement{SourceDatasetSize: size, SampleSize: 1 + g.r.Int64N(1+size/5), Event: g.gaussian()}, few}
	}
	return g.anywhere()
}

// replaceSpecial returns a mechanism under REPLACE_SPECIAL.
func (g generator) replaceSpecial() leaf {
	switch g.r.IntN(8) {
	case 0:
		return leaf{g.randomizedResponse(), few}
	case 1, 2:
		return leaf{g.poisson(g.additive()), few}
	case 3:
		return leaf{g.mixture(), few}
	case 4:
		return leaf{g.tree(), few}
	case 5:
		return leaf{g.thresholded(), few}
	}
	return g.anywhere()
}

// anywhere returns a mechanism without sampling that has a meaning under every relation.
func (g generator) anywhere() leaf {
	switch g.r.IntN(8) {
	case 0:
		return leaf{g.guarantee(), few}
	case 1:
		return leaf{g.pair(), few}
	case 2, 3:
		return leaf{g.pointGuarantee(), many}
	}
	return leaf{g.common(), many}
}

// common returns noise as most releases have it.
func (g generator) common() mechanism.Event {
	switch g.r.IntN(6) {
	case 0, 1, 2:
		return g.gaussian()
	case 3, 4:
		return mechanism.Laplace{NoiseMultiplier: g.logUniform(0.2, 100)}
	}
	return g.discreteLaplace()
}

// additive returns noise that is sampled from in sums.
func (g generator) additive() mechanism.Event {
	switch g.r.IntN(8) {
	case 0, 1:
		return mechanism.Laplace{NoiseMultiplier: g.logUniform(0.5, 20)}
	case 2:
		return g.discreteLaplace()
	case 3:
		return g.discreteGaussian()
	}
	return mechanism.Gaussian{NoiseMultiplier: g.logUniform(0.5, 10)}
}

func (g generator) poisson(e mechanism.Event) mechanism.Event {
	return mechanism.PoissonSampled{SamplingProbability: g.logUniform(0.0005, 0.5), Event: e}
}

func (g generator) gaussian() mechanism.Event {
	return mechanism.Gaussian{NoiseMultiplier: g.logUniform(0.3, 100)}
}

func (g generator) discreteLaplace() mechanism.Event {
	return mechanism.DiscreteLaplace{NoiseParameter: g.logUniform(0.02, 3), Sensitivity: 1 + g.r.Int64N(3)}
}

func (g generator) discreteGaussian() mechanism.Event {
	return mechanism.DiscreteGaussian{Sigma: g.logUniform(0.5, 20), Sensitivity: big.NewRat(1, 1)}
}

func (g generator) randomizedResponse() mechanism.Event {
	return mechanism.RandomizedResponse{NoiseParameter: g.logUniform(0.02, 0.98), NumBuckets: 2 + g.r.Int64N(9)}
}

func (g generator) tree() mechanism.Event {
	return mechanism.SingleEpochTreeAggregation{NoiseMultiplier: g.logUniform(1, 50), StepCounts: []int64{1 + g.r.Int64N(10000)}}
}

// thresholded returns counts by key of which the counts of a record alone are likely to be hidden.
func (g generator) thresholded() mechanism.Event {
	noise := []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: g.logUniform(0.5, 5)}, mechanism.Laplace{NoiseMultiplier: g.logUniform(0.5, 5)}}[g.r.IntN(2)]
	return mechanism.ThresholdedNoise{Event: noise, Threshold: g.logUniform(5, 100), Keys: 1 + g.r.Int64N(3)}
}

func (g generator) mixture() mechanism.Event {
	return mechanism.MixtureOfGaussians{StandardDeviation: g.logUniform(0.5, 10),
		Sensitivities: []*big.Rat{new(big.Rat), big.NewRat(1, 1), g.logUniform(0.5, 3)}, SamplingProbs: g.distribution(3)}
}

// pointGuarantee returns an (ε, δ) guarantee, half of them with δ = 0.
func (g generator) pointGuarantee() mechanism.Event {
	e := mechanism.EpsilonDelta{Epsilon: g.logUniform(0.005, 3), Delta: new(big.Rat)}
	if g.r.IntN(2) == 0 {
		e.Delta = g.delta()
	}
	return e
}

// guarantee returns a mechanism of which little more than its name is known, or one that
// has nothing to guarantee.
func (g generator) guarantee() mechanism.Event {
	switch g.r.IntN(11) {
	case 0, 1:
		return mechanism.ZCDP{Rho: g.logUniform(0.0001, 1), Xi: new(big.Rat)}
	case 2, 3:
		return mechanism.ExponentialMechanism{Epsilon: g.logUniform(0.02, 3)}
	case 4, 5:
		return mechanism.PermuteAndFlip{Epsilon: g.logUniform(0.02, 3)}
	case 6:
		x := g.logUniform(0.001, 0.5)
		return mechanism.RenyiCurve{Orders: []*big.Rat{big.NewRat(2, 1), big.NewRat(10, 1)}, Values: []*big.Rat{x, new(big.Rat).Mul(x, big.NewRat(5, 1))}}
	case 7:
		x := g.logUniform(0.01, 0.4)
		return mechanism.DominatingPair{Profile: []mechanism.ProfilePoint{{Epsilon: new(big.Rat), Delta: x}, {Epsilon: big.NewRat(1, 1), Delta: new(big.Rat).Mul(x, big.NewRat(1, 10))}}}
	case 8:
		return mechanism.NoOp{}
	case 10:
		x := g.logUniform(0.01, 0.4)
		return mechanism.TradeOff{Points: []mechanism.TradeOffPoint{{Alpha: x, Beta: new(big.Rat).Mul(big.NewRat(1, 2), new(big.Rat).Sub(big.NewRat(1, 1), x))}}}
	}
	return mechanism.NonPrivate{}
}

// pair returns a discrete Gaussian, a pair of distributions given outright, or the worst of two mechanisms.
func (g generator) pair() mechanism.Event {
	switch g.r.IntN(12) {
	case 6:
		return g.maximum()
	case 9:
		return mechanism.Group{Event: []mechanism.Event{g.common(), g.pointGuarantee()}[g.r.IntN(2)], Size: 2 + g.r.Int64N(4)}
	case 10:
		return mechanism.MatrixMechanism{Strategy: mechanism.Strategy{Steps: 1 + g.r.Int64N(1000), Toeplitz: []*big.Rat{big.NewRat(1, 1)}},
			MinSeparation: 1 + g.r.Int64N(50), MaxParticipations: 1 + g.r.Int64N(20), NoiseMultiplier: g.logUniform(1, 50)}
	case 0:
		return mechanism.FinitePair{P: g.distribution(3), Q: g.distribution(3)}
	case 1:
		return mechanism.TruncatedGaussian{Sigma: g.logUniform(0.5, 5), Sensitivity: big.NewRat(1, 1), Radius: g.logUniform(5, 50)}
	case 2:
		return mechanism.TruncatedLaplace{Scale: g.logUniform(0.5, 5), Sensitivity: big.NewRat(1, 1), Radius: g.logUniform(5, 50)}
	case 3:
		return mechanism.ClampedLaplace{Location: g.logUniform(5, 50), Scale: g.logUniform(0.5, 5), Shift: big.NewRat(1, 1), Order: mechanism.ClampThenShift}
	case 8:
		return mechanism.ClampedGaussian{Location: g.logUniform(5, 50), Sigma: g.logUniform(0.5, 5), Shift: big.NewRat(1, 1), Order: mechanism.ClampThenShift}
	case 11:
		return mechanism.GaussianPair{SigmaP: g.logUniform(0.5, 5), SigmaQ: g.logUniform(0.5, 5), Shift: g.logUniform(0.1, 2)}
	case 4:
		return mechanism.Binomial{Trials: 50 + g.r.Int64N(1000), Probability: big.NewRat(1, 2), Sensitivity: 1}
	case 5:
		x := g.distribution(3)
		masses := []*big.Rat{x[0], x[1], x[2], x[2], x[1], x[0]}
		for i, m := range masses {
			masses[i] = new(big.Rat).Mul(m, big.NewRat(1, 2))
		}
		return mechanism.AdditiveNoise{Probabilities: masses, Cell: big.NewRat(1, 2), Sensitivity: big.NewRat(1, 1)}
	}
	return g.discreteGaussian()
}

// distribution returns n positive probabilities, in hundredths.
func (g generator) distribution(n int) []*big.Rat {
	left, out := int64(100), make([]*big.Rat, n)
	for i := range out {
		x := left
		if rest := int64(n - 1 - i); rest > 0 {
			x = 1 + g.r.Int64N(left-rest)
		}
		out[i] = big.NewRat(x, 100)
		left -= x
	}
	return out
}

// awkward are numbers at which programs have been seen to stumble.
var awkward = []string{"1", "0.1", "0.5", "2", "0.3", "0.9999999", "1.0000001", "0.7"}

// logUniform returns a number of [lo, hi] with at most three digits, or an awkward
// one.
func (g generator) logUniform(lo, hi float64) *big.Rat {
	if g.r.IntN(3) == 0 {
		for range 4 {
			x, _ := new(big.Rat).SetString(awkward[g.r.IntN(len(awkward))])
			if f, _ := x.Float64(); lo <= f && f <= hi {
				return x
			}
		}
	}
	x := lo * math.Pow(hi/lo, g.r.Float64())
	y, _ := new(big.Rat).SetString(fmt.Sprintf("%.3g", x))
	return y
}
