// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"fmt"
	"math/big"

	"dpverify/mechanism"
)

// A mech is a mechanism with finitely many outcomes, by their numbers.
type mech interface {
	law(data) Law
	// label says what an outcome is.
	label(y int) string
}

// A reading is how an event is read.
type reading struct {
	*Tables
	relation mechanism.Relation
	cells    int     // of the noise of one release, about
	hint     float64 // the ε that is asked about, for places of cuts
	stride   int     // how many records a record stands for, in numbers of records
	sampled  bool    // it is run on a sample
}

// first reports whether a record is record 0, or of its group.
func (c reading) first(r byte) bool { return r != null && number(r) < c.stride }

// kept remembers the laws of a mechanism.
type remembered struct {
	mech
	laws map[data]Law
}

func (m remembered) law(d data) Law {
	l, ok := m.laws[d]
	if !ok {
		l = m.mech.law(d)
		m.laws[d] = l
	}
	return l
}

// read returns a mechanism that an event may be. CheckSize has to know the event.
func (c reading) read(e mechanism.Event, s site) mech {
	return remembered{c.class(e, s), map[data]Law{}}
}

func (c reading) class(e mechanism.Event, s site) mech {
	switch e := e.(type) {
	case mechanism.NoOp:
		return constant{}
	case mechanism.NonPrivate:
		return &identity{numbers: map[data]int{}}
	case mechanism.Gaussian:
		return c.gaussian(e, s)
	case mechanism.Laplace:
		return c.laplaceSum(e, s)
	case mechanism.DiscreteLaplace:
		return c.discreteLaplaceSum(e, s)
	case mechanism.DiscreteGaussian:
		return c.discreteGaussian(e, s)
	case mechanism.RandomizedResponse:
		return responder{c, s.at(0), e, c.sizes(s.at(1))}
	case mechanism.EpsilonDelta:
		return c.guarantee(s, newProfile([]mechanism.ProfilePoint{{Epsilon: e.Epsilon, Delta: e.Delta}}))
	case mechanism.DominatingPair:
		return c.guarantee(s, newProfile(e.Profile))
	case mechanism.TradeOff:
		return c.guarantee(s, newTradeOff(e.Points))
	case mechanism.ZCDP:
		return c.guarantee(s, divergences{rho: e.Rho, xi: e.Xi})
	case mechanism.RenyiCurve:
		return c.guarantee(s, divergences{orders: e.Orders, values: e.Values})
	case mechanism.ExponentialMechanism:
		return c.exponential(e, s)
	case mechanism.PermuteAndFlip:
		return c.permuteAndFlip(e, s)
	case mechanism.SingleEpochTreeAggregation:
		return c.tree(e, s)
	case mechanism.MatrixMechanism:
		return c.matrix(e, s)
	case mechanism.Shuffled:
		return c.shuffled(e, s)
	case mechanism.ThresholdedNoise:
		return c.thresholded(e, s)
	case mechanism.TruncatedSubsampledGaussian:
		return c.truncatedSample(e, s)
	case mechanism.MixtureOfGaussians, mechanism.FinitePair, mechanism.HistogramPair, mechanism.TruncatedGaussian, mechanism.TruncatedLaplace,
		mechanism.ClampedLaplace, mechanism.ClampedGaussian, mechanism.GaussianPair, mechanism.Binomial, mechanism.AdditiveNoise:
		return c.outright(e, s)
	case mechanism.Composed:
		return c.sequence(e.Events, s)
	case mechanism.SelfComposed:
		events := make([]mechanism.Event, e.Count)
		for i := range events {
			events[i] = e.Event
		}
		return c.sequence(events, s)
	case mechanism.Maximum:
		k := s.pick(len(e.Events))
		return c.read(e.Events[k], s.at(k))
	case mechanism.Group:
		return c.grouped(e, s)
	case mechanism.PoissonSampled:
		return c.poisson(e, s)
	case mechanism.SampledWithoutReplacement:
		return c.withoutReplacement(e, s)
	case mechanism.SampledWithReplacement:
		return c.withReplacement(e, s)
	case mechanism.RandomAllocation:
		return c.allocation(e, s)
	case mechanism.RepeatAndSelect:
		return c.repeatAndSelect(e, s)
	}
	panic("definition: internal error: no interpreter of " + e.ClassName())
}

// outright reads pairs that are given.
func (c reading) outright(e mechanism.Event, s site) mech {
	three := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, big.NewRat(3, 1)) }
	switch e := e.(type) {
	case mechanism.FinitePair:
		return c.finite(s, e.P, e.Q)
	case mechanism.HistogramPair:
		return c.finite(s, e.P, e.Q)
	case mechanism.Binomial:
		return c.binomial(s, e)
	case mechanism.AdditiveNoise:
		return c.additiveNoise(s, e)
	case mechanism.TruncatedGaussian:
		return c.truncated(s, c.normal(new(big.Rat), e.Sigma), e.Sensitivity, e.Radius)
	case mechanism.TruncatedLaplace:
		return c.truncated(s, c.laplace(new(big.Rat), e.Scale), e.Sensitivity, e.Radius)
	case mechanism.ClampedLaplace:
		return c.clampedNoise(s, c.laplace(e.Location, e.Scale), e.Shift, three(e.Scale), e.Order)
	case mechanism.ClampedGaussian:
		return c.clampedNoise(s, c.normal(e.Location, e.Sigma), e.Shift, three(e.Sigma), e.Order)
	case mechanism.GaussianPair:
		reach := three(e.SigmaP)
		if e.SigmaQ.Cmp(e.SigmaP) > 0 {
			reach = three(e.SigmaQ)
		}
		return c.densities(s, c.normal(new(big.Rat), e.SigmaP), c.normal(e.Shift, e.SigmaQ), nil, new(big.Rat).Neg(reach), reach.Add(reach, e.Shift))
	case mechanism.MixtureOfGaussians:
		parts, most := make([]distribution, len(e.Sensitivities)), new(big.Rat)
		for i, x := range e.Sensitivities {
			parts[i] = c.normal(x, e.StandardDeviation)
			if x.Cmp(most) > 0 {
				most = x
			}
		}
		reach := three(e.StandardDeviation)
		return c.densities(s, mixture(e.SamplingProbs, parts), c.normal(new(big.Rat), e.StandardDeviation), nil, new(big.Rat).Neg(reach), new(big.Rat).Add(reach, most))
	}
	panic("definition: internal error: no pair of " + e.ClassName())
}

// constant has one outcome.
type constant struct{}

func (constant) law(data) Law     { return certain(0) }
func (constant) label(int) string { return "nothing" }

// identity releases the data.
type identity struct {
	numbers map[data]int
	ds      []data
}

func (m *identity) law(d data) Law {
	k, ok := m.numbers[d]
	if !ok {
		k = len(m.ds)
		m.numbers[d] = k
		m.ds = append(m.ds, d)
	}
	return certain(k)
}

func (m *identity) label(y int) string { return fmt.Sprintf("the data %v", m.ds[y].names()) }
