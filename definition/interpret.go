// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package definition runs events: it is the definition of differential privacy as a program, on data sets that one
// can list. It reads a class for the third time, after exact and float, and knows no dominating pair, no profile and no
// theorem: where another reading derives what is the worst, this one looks.
//
// An Instance is one mechanism that an event may be under a neighbouring relation. What the event leaves to an
// adversary, it has chosen: the values of records, the function that noise is added to, the mechanism that
// a guarantee stands for, and all of them anew for each output of an earlier mechanism. Samples are
// enumerated, and noise is cut into finitely many cells, which is a post-processing. So an Instance has, for every pair
// of neighbouring data sets, two distributions on finitely many outcomes, with rational masses or enclosed ones, and
// from these follow δ(ε), divergences and the errors of tests by their definitions, summed over outcomes.
//
// No instance may be above the upper end of an answer about the event; the best of them, where the answer is
// attained, comes as near to its lower end as cells allow.
//
// Readings. Where docs/format.md, docs/relations.md and dp_event.py leave something open, the adversary has the most
// that they allow:
//   - A data set is a multiset of records. Of noise on a sum each record's value is within the bound, and nothing else
//     is: under ADD_OR_REMOVE_ONE and REPLACE_SPECIAL an absent record and a null one add nothing.
//   - The functions of DiscreteGaussianDpEvent and the scores of selections are any functions whose values
//     differ as much as they may between neighbours under the relation asked, and the mechanisms of guarantees any
//     that keep them there. Where neighbours have equally many records, nothing is said of data sets of different
//     sizes: such a mechanism may show how many records it is run on.
//   - A pair given outright is run by whether records of some set are there, as many as a number that the adversary
//     chooses; under REPLACE_ONE by any function of the data with two values.
//   - A group is a unit that stands for up to so many records.
//   - Of an allocation each record has a set of steps of its own.
package definition

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"dpverify/definition/masses"
	"dpverify/definition/promise"
	"dpverify/mechanism"
)

// A mech is a mechanism with finitely many outcomes, by their numbers.
type mech interface {
	law(data) masses.Law
	// label says what an outcome is.
	label(y int) string
	// words say what was chosen, as it shows on some data sets.
	words(ds []data) string
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

// A numbering gives numbers to values as it meets them, from 0 on.
type numbering[T comparable] struct {
	all     []T
	numbers map[T]int
}

func (n *numbering[T]) of(x T) int {
	k, ok := n.numbers[x]
	if !ok {
		if k = len(n.all); k == 0 {
			n.numbers = map[T]int{}
		}
		n.all, n.numbers[x] = append(n.all, x), k
	}
	return k
}

// A remembered mechanism keeps its laws.
type remembered struct {
	mech
	laws map[data]masses.Law
}

func (m remembered) law(d data) masses.Law {
	l, ok := m.laws[d]
	if !ok {
		l = m.mech.law(d)
		m.laws[d] = l
	}
	return l
}

// words are about the data sets that it was run on.
func (m remembered) words([]data) string {
	return m.mech.words(slices.Sorted(maps.Keys(m.laws)))
}

// onEach says what something is on each of some data sets.
func onEach(ds []data, f func(data) string) string {
	var order []string
	where := map[string][]string{}
	for _, d := range ds {
		x := f(d)
		if where[x] == nil {
			order = append(order, x)
		}
		where[x] = append(where[x], d.String())
	}
	for i, x := range order {
		order[i] = x + " on " + strings.Join(where[x], ", or ")
	}
	return strings.Join(order, "; ")
}

// tuple writes numbers in parentheses.
func tuple(xs []*big.Rat) string {
	var parts []string
	for _, x := range xs {
		s := x.RatString()
		if len(s) > 16 {
			s = "about " + x.FloatString(12)
		}
		parts = append(parts, s)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// read returns a mechanism that an event may be. CheckSize has to know the event.
func (c reading) read(e mechanism.Event, s site) mech {
	return remembered{c.class(e, s), map[data]masses.Law{}}
}

func (c reading) class(e mechanism.Event, s site) mech {
	switch e := e.(type) {
	case mechanism.NoOp:
		return constant{}
	case mechanism.NonPrivate:
		return &identity{}
	case mechanism.Gaussian:
		return c.gaussian(e, s)
	case mechanism.Laplace:
		return c.laplaceSum(e, s)
	case mechanism.DiscreteLaplace:
		return c.discreteLaplaceSum(e, s)
	case mechanism.DiscreteGaussian:
		return c.discreteGaussian(e, s)
	case mechanism.RandomizedResponse:
		return c.responder(e, s)
	case mechanism.LocalRandomizer:
		return c.reporter(e, s)
	case mechanism.EpsilonDelta:
		return c.guarantee(s, promise.NewProfile([]mechanism.ProfilePoint{{Epsilon: e.Epsilon, Delta: e.Delta}}))
	case mechanism.DominatingPair:
		return c.guarantee(s, promise.NewProfile(e.Profile))
	case mechanism.TradeOff:
		return c.guarantee(s, promise.NewTradeOff(e.Points))
	case mechanism.ZCDP:
		return c.guarantee(s, promise.Divergences{Rho: e.Rho, Xi: e.Xi})
	case mechanism.RenyiCurve:
		return c.guarantee(s, promise.Divergences{Orders: e.Orders, Values: e.Values})
	case mechanism.ExponentialMechanism:
		return c.exponential(e, s)
	case mechanism.PermuteAndFlip:
		return c.permuteAndFlip(e, s)
	case mechanism.SingleEpochTreeAggregation:
		return c.tree(e, s)
	case mechanism.LastIterate:
		return c.lastIterate(e, s)
	case mechanism.MatrixMechanism:
		return c.matrix(e, s)
	case mechanism.Shuffled:
		return c.shuffled(e, s)
	case mechanism.ThresholdedNoise:
		return c.thresholded(e, s)
	case mechanism.TruncatedSubsampledGaussian:
		return c.truncatedSample(e, s)
	case mechanism.MixtureOfGaussians, mechanism.FinitePair, mechanism.HistogramPair, mechanism.Truncated,
		mechanism.Clamped, mechanism.GaussianPair, mechanism.GaussianMixturePair, mechanism.Binomial, mechanism.AdditiveNoise:
		return c.outright(e, s)
	case mechanism.Composed:
		return c.sequence(e.Events, s)
	case mechanism.SelfComposed:
		return c.sequence(slices.Repeat([]mechanism.Event{e.Event}, int(e.Count)), s)
	case mechanism.Maximum:
		k := s.pick(len(e.Events))
		return c.read(e.Events[k], s.at(k))
	case mechanism.Mean:
		return c.mean(e, s)
	case mechanism.Group:
		c.stride *= maxGroup
		return group{c.read(e.Event, s.at(0)), s.at(1), c.relation, int(e.Size)}
	case mechanism.PoissonSampled:
		return c.poisson(e, s)
	case mechanism.SampledWithoutReplacement:
		return c.withoutReplacement(e, s)
	case mechanism.SampledWithReplacement:
		return c.withReplacement(e, s)
	case mechanism.RandomAllocation:
		return c.allocation(e, s)
	case mechanism.ShuffledBatches:
		c.sampled = true
		return batches{c.sequence(slices.Repeat([]mechanism.Event{e.Event}, int(e.Batches)), s).(*sequence)}
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
	case mechanism.Truncated:
		return c.truncated(s, e)
	case mechanism.Clamped:
		return c.clamped(s, e, three(e.Width))
	case mechanism.GaussianPair:
		reach := three(e.SigmaP)
		if e.SigmaQ.Cmp(e.SigmaP) > 0 {
			reach = three(e.SigmaQ)
		}
		return c.densities(s, c.Normal(new(big.Rat), e.SigmaP), c.Normal(e.Shift, e.SigmaQ), nil, new(big.Rat).Neg(reach),
			reach.Add(reach, e.Shift))
	case mechanism.MixtureOfGaussians:
		return c.mixtures(s, e.StandardDeviation, mechanism.WeightedMeans{Weights: e.SamplingProbs, Means: e.Sensitivities},
			mechanism.WeightedMeans{Weights: []*big.Rat{big.NewRat(1, 1)}, Means: []*big.Rat{new(big.Rat)}})
	case mechanism.GaussianMixturePair:
		return c.mixtures(s, e.StandardDeviation, e.P, e.Q)
	}
	panic("definition: internal error: no pair of " + e.ClassName())
}

// constant has one outcome.
type constant struct{}

func (constant) law(data) masses.Law { return masses.Certain(0) }
func (constant) label(int) string    { return "nothing" }
func (constant) words([]data) string { return "nothing is released" }

// identity releases the data.
type identity struct{ data numbering[data] }

func (m *identity) law(d data) masses.Law { return masses.Certain(m.data.of(d)) }

func (m *identity) words([]data) string { return "the data are released" }

func (m *identity) label(y int) string { return fmt.Sprintf("the data %v", m.data.all[y].names()) }
