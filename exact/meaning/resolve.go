// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package meaning has what events mean: the pairs that dominate what an event may be under a neighbouring relation, and
// what is known of it from below.
//
// [Resolve] turns an event and a relation into a [Problem], and is the only place of this engine where relations are
// interpreted. docs/relations.md is its table with sources.
package meaning

import (
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact/guarantee"
	"dpverify/exact/iterates"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// Resolve returns the pairs that e stands for under a neighbouring relation.
// docs/relations.md has the table with its sources. The error is a
// *RelationError or one of package mechanism.
//
// What a sample of nothing samples has to have a meaning, although it is not run.
func Resolve(e mechanism.Event, rel mechanism.Relation) (Problem, error) {
	if err := mechanism.CheckQuestion(e, rel, mechanism.Both); err != nil {
		return Problem{}, err
	}
	if some, changed := composition.SampleSome(e); changed {
		r, err := newResolver(rel)
		if err != nil {
			return Problem{}, err
		}
		if _, err := r.composition(some, "event"); err != nil {
			return Problem{}, err
		}
	}
	r, err := newResolver(rel)
	if err != nil {
		return Problem{}, err
	}
	m, err := r.composition(e, "event")
	if err != nil {
		return Problem{}, err
	}
	return r.problem(m), nil
}

type resolver struct {
	rel mechanism.Relation
	// sensitivity is the factor c by which one record moves an answer, in units of the
	// clipping norm C: noise multipliers are σ/C, and replacing a record of norm ≤ C by
	// another moves the sum by up to 2C.
	sensitivity int64
	// exchange says that the two records may be exchanged in any factor.
	exchange bool
	// sample says that the events are inside of a sample without replacement, of data that have a record more or less: a
	// record of the sample is replaced, whatever relation was asked about.
	sample bool
	// alike says that the events are inside of a sample without replacement. What bounds them from below is attained by
	// data in which all other records are the one that replaces, or null: a sample without the record has one of these
	// more.
	alike bool
	// apart says that the events are inside of a Poisson sample or of a random allocation, where all other records draw as
	// well: whether a sample has one of them is uncertain.
	apart bool
	notes []string
}

func newResolver(rel mechanism.Relation) (*resolver, error) {
	switch rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
		return &resolver{rel: rel, sensitivity: 1}, nil
	case mechanism.ReplaceOne:
		return &resolver{rel: rel, sensitivity: 2, exchange: true}, nil
	}
	return nil, mechanism.UnknownRelation(rel)
}

func (r *resolver) note(s string) {
	if !slices.Contains(r.notes, s) {
		r.notes = append(r.notes, s)
	}
}

// undefined is the error about an event that has no meaning under the relation.
func (r *resolver) undefined(e mechanism.Event, path, reason string) (meaning, error) {
	return meaning{}, &RelationError{path, e.ClassName(), r.rel, reason}
}

// composition resolves every factor of e.
func (r *resolver) composition(e mechanism.Event, path string) (meaning, error) {
	m, some := neutral(), neutral()
	factors, err := composition.Factors(e)
	if err != nil {
		return m, err
	}
	for _, f := range factors {
		fp := path + f.Path[len("event"):]
		one, err := r.factor(f.Event, fp)
		if err != nil {
			return m, err
		}
		one.traits.presence = one.traits.presence || showsPresence(f.Event)
		one.traits.coin = one.traits.coin || isGuarantee(f.Event)
		some = some.and(one.times(f.Count))
		if len(some.factors.Fixed) == 32 { // many one by one would take the square of their number
			m, some = m.and(some), neutral()
		}
	}
	m = m.and(some)
	if releases(e) > 1 {
		m.traits.after = true
		m.factors = m.factors.mixed(Averages)
	}
	// Package mechanism bounds counts, but for samples of everything, which are only
	// seen through here.
	if m.factors.tooMany(mechanism.MaxCount) {
		return m, &mechanism.ParamError{Path: shown(path), Field: "count of all factors",
			Value: fmt.Sprintf("more than %d", mechanism.MaxCount), Want: fmt.Sprintf("at most %d", mechanism.MaxCount)}
	}
	return m, nil
}

// releases counts the events of a composition that may have an output, up to 2. Those that say nothing of the data are
// among them.
func releases(e mechanism.Event) int64 {
	switch e := e.(type) {
	case mechanism.NoOp:
		return 0
	case mechanism.SelfComposed:
		return min(2, releases(e.Event)*min(2, e.Count))
	case mechanism.Composed:
		var n int64
		for _, x := range e.Events {
			n = min(2, n+releases(x))
		}
		return n
	}
	return 1
}

// factor returns the meaning of one basic event.
func (r *resolver) factor(e mechanism.Event, path string) (meaning, error) {
	exact := func(p pair.Pair) (meaning, error) { return exactly(pair.Copies(p, 1)), nil }
	c := big.NewRat(r.sensitivity, 1)
	if r.sample && statesRelation(e) {
		r.note("inside of a sample without replacement, " + e.ClassName() +
			" is about replacing a record, not about adding or removing one")
	}
	if equalDistributions(e) {
		return neutral(), nil
	}
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return nonPrivate(), nil
	case mechanism.Gaussian:
		// μ = c/σ: one record of norm ≤ C moves the mean by up to c·C.
		return exact(pair.Gaussian{Mu2: c.Quo(c.Mul(c, c), e.Variance())})
	case mechanism.Laplace:
		return exact(pair.Laplace{Shift: new(big.Rat).Quo(c, e.NoiseMultiplier)})
	case mechanism.DiscreteLaplace:
		return exact(pair.DiscreteLaplace{A: e.NoiseParameter, Sensitivity: e.Sensitivity * r.sensitivity})
	case mechanism.DiscreteGaussian:
		return discreteGaussianMeaning(e), nil
	case mechanism.RandomizedResponse:
		switch r.rel {
		case mechanism.ReplaceOne:
			return exactUnlessTrivial(replaceOneResponse(e))
		case mechanism.ReplaceSpecial:
			return exactUnlessTrivial(replaceSpecialResponse(e))
		case mechanism.AddOrRemoveOne:
			return r.undefined(e, path, "randomized response has no neighbour with a record more or less; it is not defined")
		}
		return meaning{}, mechanism.UnknownRelation(r.rel)
	case mechanism.LocalRandomizer:
		switch r.rel {
		case mechanism.ReplaceOne:
			return localMeaning(e), nil
		case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
			return r.undefined(e, path, "a local randomizer has no report of a record that is not there; it is not defined")
		}
		return meaning{}, mechanism.UnknownRelation(r.rel)
	case mechanism.MixtureOfGaussians:
		switch r.rel {
		case mechanism.ReplaceOne:
			return r.undefined(e, path, "no dominating pair is proved for a mixture of Gaussians")
		case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
			return mixtureMeaning(e.StandardDeviation, normals.New(e.Sensitivities, e.SamplingProbs), normals.Standard()), nil
		}
		return meaning{}, mechanism.UnknownRelation(r.rel)
	case mechanism.EpsilonDelta:
		return exact(pair.Response{Eps: e.Epsilon, Delta: e.Delta})
	case mechanism.ExponentialMechanism:
		return exponentialMeaning(e), nil
	case mechanism.PermuteAndFlip:
		return permuteAndFlipMeaning(e), nil
	case mechanism.ZCDP:
		if e.Rho.Sign() == 0 && e.Xi.Sign() == 0 {
			return neutral(), nil // no divergence at all: P = Q
		}
		return between(pair.Copies(pair.ZCDP{Rho: e.Rho, Xi: e.Xi}, 1), guarantee.ZCDP(e)...), nil
	case mechanism.RenyiCurve:
		return between(pair.Copies(pair.NewRenyiCurve(e), 1), guarantee.RenyiCurve(e)...), nil
	case mechanism.DominatingPair:
		return exact(pair.NewHull(e.Profile))
	case mechanism.TradeOff:
		return exactUnlessTrivial(pair.NewTradeOff(e.Points))
	case mechanism.GaussianPair:
		return exact(pair.NewGaussians(e))
	case mechanism.GaussianMixturePair:
		return mixtureMeaning(e.StandardDeviation, normals.New(e.P.Means, e.P.Weights),
			normals.New(e.Q.Means, e.Q.Weights)), nil
	case mechanism.FinitePair:
		return exactUnlessTrivial(pair.NewFinite(e.P, e.Q))
	case mechanism.HistogramPair:
		return exactUnlessTrivial(pair.NewFinite(e.P, e.Q))
	case mechanism.Truncated:
		return exact(pair.Truncated{Noise: e.Noise, Width: e.Width, Sensitivity: e.Sensitivity, Radius: e.Radius})
	case mechanism.Clamped:
		return exact(pair.Clamped{Noise: e.Noise, Location: e.Location, Width: e.Width, Shift: e.Shift,
			ShiftFirst: e.Order == mechanism.ShiftThenClamp})
	case mechanism.ThresholdedNoise:
		return r.thresholdedMeaning(e, path)
	case mechanism.SingleEpochTreeAggregation:
		return r.treeMeaning(e, path)
	case mechanism.LastIterate:
		// A record is in one batch, so it has its place.
		most, least := iterates.Distance(e, r.sensitivity)
		m := between(pair.Copies(pair.Gaussian{Mu2: most}, 1), pair.Copies(pair.Gaussian{Mu2: least}, 1))
		m.traits.places = e.Batches > 1
		return m, nil
	case mechanism.Group:
		return r.groupMeaning(e, path)
	case mechanism.MatrixMechanism:
		return r.matrixMeaning(e, path)
	case mechanism.Binomial:
		return exact(pair.NewBinomial(e))
	case mechanism.AdditiveNoise:
		return noiseMeaning(e, path)
	case mechanism.PoissonSampled:
		return r.poisson(e, path)
	case mechanism.SampledWithoutReplacement:
		return r.subset(e, path)
	case mechanism.TruncatedSubsampledGaussian:
		return r.truncatedSample(e)
	case mechanism.SampledWithReplacement:
		return r.withReplacement(e, path)
	case mechanism.RandomAllocation:
		return r.allocation(e, path)
	case mechanism.ShuffledBatches:
		return r.shuffledBatches(e, path)
	case mechanism.RepeatAndSelect:
		return r.repeated(e, path)
	case mechanism.Shuffled:
		return r.shuffled(e, path)
	case mechanism.Maximum:
		return r.maximumMeaning(e, path)
	case mechanism.Mean:
		return r.meanMeaning(e, path)
	}
	return meaning{}, &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
}

// equalDistributions reports a sensitivity of 0: a neutral factor.
func equalDistributions(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.DiscreteLaplace:
		return e.Sensitivity == 0
	case mechanism.Binomial:
		return e.Sensitivity == 0
	case mechanism.Truncated:
		return e.Sensitivity.Sign() == 0
	case mechanism.Clamped:
		return e.Shift.Sign() == 0
	case mechanism.GaussianPair:
		return e.Shift.Sign() == 0 && e.SigmaP.Cmp(e.SigmaQ) == 0
	}
	return false
}

// mixtureMeaning is a pair of mixtures of Gaussians of one standard deviation.
func mixtureMeaning(sigma *big.Rat, p, q normals.Mixture) meaning {
	if x := pair.NewGaussianMixture(p.Over(sigma), q.Over(sigma)); x != nil {
		return exactly(pair.Copies(x, 1))
	}
	return neutral() // equal distributions
}

// exactUnlessTrivial drops a pair of equal distributions: a neutral factor.
func exactUnlessTrivial(f pair.Finite) (meaning, error) {
	if f.Trivial() {
		return neutral(), nil
	}
	return exactly(pair.Copies(f, 1)), nil
}

// showsPresence reports whether the output of an event may show whether a record is there, apart from its value.
//
//   - It may for a guarantee: the worst mechanism that has it may release the number of records.
//   - It may for the scores of a selection, and for a function whose sensitivity is stated for the relation: both may
//     depend on the number of records.
//   - It does for a local randomizer, which has no output on an absent record.
//   - It does not for sums of bounded records with noise: a null record adds nothing.
//   - It does not for pairs that are given outright: Q is without the record, absent or null.
func showsPresence(e mechanism.Event) bool {
	switch e.(type) {
	case mechanism.RandomizedResponse, mechanism.LocalRandomizer, mechanism.NonPrivate:
		return true
	}
	return statesRelation(e)
}

// statesRelation reports whether a parameter of e is one under the relation asked: a guarantee, or the sensitivity of a
// function or of scores. All others are about one record's value, or are pairs.
func statesRelation(e mechanism.Event) bool {
	switch e.(type) {
	case mechanism.ExponentialMechanism, mechanism.PermuteAndFlip, mechanism.DiscreteGaussian:
		return true
	}
	return isGuarantee(e)
}

// isGuarantee reports whether e stands for the worst mechanism with some property. Such a mechanism may toss a coin for
// all to see.
func isGuarantee(e mechanism.Event) bool {
	_, ok := e.(mechanism.Guarantee)
	return ok
}

// poisson resolves Poisson sampling, with γ for the rate and (P, Q) for what is sampled.
//
//   - A record is added or removed: a sample without it is a sample of the neighbour. The pair is ((1−γ)Q + γP, Q).
//   - A record is replaced by a null one, and the outputs on an absent and on a null record are the same: likewise.
//   - Otherwise a mechanism may show whether the sample has the record or its replacement. By joint convexity H_α ≤
//     (1−γ)(1−α)₊ + γH_α(P‖Q). Attained by a mechanism that shows it.
func (r *resolver) poisson(e mechanism.PoissonSampled, path string) (meaning, error) {
	sample := func(p pair.Product) pair.Product { return samplePoisson(e.SamplingProbability, p) }
	switch r.rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
		base, err := r.sampled(e, e.Event, path)
		if err != nil {
			return meaning{}, err
		}
		if r.rel == mechanism.ReplaceSpecial && base.traits.presence {
			sample = visibly(e.SamplingProbability)
		}
		return base.mapped(sample), nil
	case mechanism.ReplaceOne:
		return r.poissonReplaceOne(e, path)
	}
	return meaning{}, mechanism.UnknownRelation(r.rel)
}

// sampled is the event that a sample is of, which samples no records itself.
func (r *resolver) sampled(sample, of mechanism.Event, path string) (meaning, error) {
	around := r.apart
	r.apart = true
	base, err := r.composition(of, path+".event")
	r.apart = around
	if err == nil {
		err = r.unsampled(sample, base, path)
	}
	return base, err
}

// unsampled returns an error if the place of a record in a stream matters: which places the records of a sample
// have is not said. Nor is which records of a group a sample has.
func (r *resolver) unsampled(sample mechanism.Event, base meaning, path string) error {
	if base.traits.group {
		return &RelationError{path, sample.ClassName(), r.rel,
			"a sample for what a group sees is not defined: put the group around the sample"}
	}
	if base.traits.drawn {
		return &RelationError{path, sample.ClassName(), r.rel,
			"a sample for a sample of a fixed size is not defined: how many records it is drawn from is not fixed"}
	}
	if base.traits.places {
		return &RelationError{path, sample.ClassName(), r.rel,
			"a sample for an event in which each record has its place is not defined"}
	}
	return nil
}

// visibly is a sample that shows whether it has the record.
func visibly(rate *big.Rat) func(pair.Product) pair.Product {
	return func(p pair.Product) pair.Product { return pair.Copies(pair.Mixed(rate, p), 1) }
}

// samplePoisson returns the sampled product: again a finite pair, a mixture of Gaussians or a
// sample of the same when the base is one, as (1−γ)Q + γ((1−κ)Q + κP) = (1−γκ)Q + γκP.
func samplePoisson(rate *big.Rat, base pair.Product) pair.Product {
	if len(base) == 0 {
		return nil
	}
	if len(base) == 1 && base[0].Count == 1 {
		switch x := base[0].Pair.(type) {
		case pair.Sampled:
			if !x.Reversed {
				return pair.Copies(pair.Sampled{Rate: new(big.Rat).Mul(rate, x.Rate), Base: x.Base}, 1)
			}
		case pair.GaussianMixture:
			return pair.Copies(x.Sample(rate), 1)
		}
	}
	if f, ok := pair.Single[pair.Finite](base); ok {
		return pair.Copies(f.Sample(rate), 1)
	}
	return pair.Copies(pair.Sampled{Rate: rate, Base: base}, 1)
}

// poissonReplaceOne: with probability γ the sample has the record, x in the one data set and y in the other, and
// otherwise neither.
//
// Where the event may show whether it has, H_α = (1−γ)(1−α)₊ + γH_α(P‖Q) for the base pair (P, Q) of replacing a
// record, by joint convexity; one record makes the data of a mechanism that attains it. A guarantee for replacing a
// record says nothing about the presence of a record, so that sampling does not amplify ε.
//
// Of Gaussian noise on sums, in any dimension and with adaptive queries, the worst records are opposite: with Σ 1/σ² =
// μ² over all sums,
//
//	((1−γ)N(0, 1) + γN(μ, 1), (1−γ)N(0, 1) + γN(−μ, 1)).
//
// Claim: for every α > 0 and |x|, |y| ≤ μ, H_α((1−γ)N(0, I) + γN(x, I) ‖ (1−γ)N(0, I) + γN(y, I)) is at most that of
// this pair. Proof: docs/theorems.md, Poisson samples of replaced records.
func (r *resolver) poissonReplaceOne(e mechanism.PoissonSampled, path string) (meaning, error) {
	base, err := r.sampled(e, e.Event, path)
	if err != nil {
		return base, err
	}
	mu2, other, err := gaussianSums(e.Event)
	if err != nil {
		return meaning{}, err
	}
	if other != nil && !showsPresence(other) {
		return r.undefined(e, path, "Poisson sampling of "+other.ClassName()+" is not defined")
	}
	m := exactly(pair.Copies(pair.SampledReplaceGaussian{Rate: e.SamplingProbability, Mu2: mu2}, 1))
	if base.traits.presence || base.factors.empty() {
		m = base.mapped(visibly(e.SamplingProbability))
	}
	m.traits.sampled = !m.factors.empty() && !m.traits.nonPrivate
	return m, nil
}

// gaussianSums returns Σ 1/σ² of Gaussian noise on sums, in units of the clipping norm, of which two records are at a
// distance of up to 2, and a factor that is none, or nil: one that does not show whether a record is there, if there
// is such.
func gaussianSums(e mechanism.Event) (mu2 *big.Rat, other mechanism.Event, err error) {
	factors, err := composition.Factors(e)
	mu2 = new(big.Rat)
	for _, f := range factors {
		if g, ok := f.Event.(mechanism.Gaussian); ok {
			per := new(big.Rat).Inv(g.Variance())
			mu2.Add(mu2, per.Mul(per, new(big.Rat).SetInt64(f.Count)))
		} else if other == nil || showsPresence(other) {
			other = f.Event
		}
	}
	return mu2, other, err
}

// subset resolves sampling without replacement: with rate γ = sample/source and
// a self-dual base pair (P, Q) for replacing a record, H_α is at most
// H_α((1−γ)Q + γP‖Q) for α ≥ 1 and H_α(P‖(1−γ)P + γQ) for α ≤ 1
// [Zhu, Dong & Wang 2022, Proposition 30]. By self-duality the second is
// H_α(Q‖(1−γ)Q + γP), so the two are the orientations of one sampled pair, which
// is attained; the maximum of the two is exact for a single factor, at each ε.
//
// No orientation bounds more than that. Of noise on a sum of which all other records are 0, those of N(−1, 1) and N(1,
// 1), mixed with N(0, 1), are nearer at α = 1 than either, next to which both have the same H_α: its trade-off function
// is below both. A divergence may be greater than both: of (5, 0)-DP and γ = 10^−3, (p, q, r), (q, p, r) and (q, q, 1 −
// 2q) without a record, q = 1/(e^5 + 2) and p = e^5·q, have R₂ = 2.7·10^−4, and the orientations 1.46·10^−4 and
// 1.28·10^−4.
//
// It is attained by data in which all other records are the one that replaces: a sample
// without the record also has Q. That is not so if the base is a Poisson sample, whose
// worst pair has no other records; with t of m ≥ 2 records left, only γ·t/m of what
// is left is the record. For guarantees of (log 3, 0)-DP, γ = 2/3, m = 2, q = 1/2, α = 2 the
// sampled pair has H_α = 1/24, and no mechanism more than 1/48: t = 1 and 2 contribute at most
// q_t·θ·H_{1+(α−1)/θ}(3/4, 1/4 ‖ 1/4, 3/4), θ = γt/m, with the probability q_t of t.
//
// Where a record is added or removed, m of n records are drawn of the data with the record, and m of n − 1 of the data
// without it; n and m < n are public. Drawing m of n, and the record in the sample then replaced by one of the
// others at random, is drawing m of n − 1. So with (P, Q) for replacing a record, removing one is dominated
// by ((1−γ)Q + γP, Q), γ = m/n, and adding one by its reverse [ibid., Theorem 11(2)], whatever the two orientations
// of (P, Q) are; it is attained as above. What is inside is asked about replacing a record.
func (r *resolver) subset(e mechanism.SampledWithoutReplacement, path string) (meaning, error) {
	inside := *r
	switch r.rel {
	case mechanism.ReplaceOne:
	case mechanism.AddOrRemoveOne:
		if e.SampleSize == e.SourceDatasetSize {
			return r.undefined(e, path, "a sample of all records is not defined, as one of as many from a record less")
		}
		inside = resolver{rel: mechanism.ReplaceOne, sensitivity: 2, exchange: true, sample: true}
	case mechanism.ReplaceSpecial:
		return r.undefined(e, path, "sampling without replacement is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	inside.alike = true
	base, err := inside.composition(e.Event, path+".event")
	if err != nil {
		return meaning{}, err
	}
	for _, n := range inside.notes {
		r.note(n)
	}
	if !base.factors.SelfDual() {
		return r.undefined(e, path, "sampling without replacement of a pair that is not self-dual is not proved")
	}
	if e.SampleSize == e.SourceDatasetSize {
		return base, nil
	}
	if base.traits.allocated { // all others are elsewhere, and hide the record
		return r.undefined(e, path, "sampling without replacement of a random allocation is not proved")
	}
	if r.rel == mechanism.AddOrRemoveOne && base.traits.sampled {
		return r.undefined(e, path, "sampling without replacement of a Poisson sample is not proved")
	}
	if err := r.unsampled(e, base, path); err != nil {
		return meaning{}, err
	}
	rate := big.NewRat(e.SampleSize, e.SourceDatasetSize)
	sample := func(p pair.Product) pair.Product { return samplePoisson(rate, p) }
	m := base.mapped(sample)
	if e.SampleSize > 1 && base.traits.sampled && !base.traits.nonPrivate {
		m = between(sample(base.factors.Product()), subsetOfSample(rate, base.evidence.witnesses(base.factors)))
		m.traits = base.traits
	}
	if r.rel == mechanism.ReplaceOne {
		m = m.freely()
		m.factors = m.factors.mixed(Pointwise)
		if g, ok := e.Event.(mechanism.Gaussian); ok && len(m.factors.Choices) == 1 {
			mu2 := new(big.Rat).Quo(big.NewRat(4, 1), g.Variance())
			m.factors.Choices[0].Records = &SampledRecords{rate, mu2}
		}
	}
	m.traits.drawn = r.rel == mechanism.AddOrRemoveOne
	return m, nil
}

// subsetOfSample is what a sample without replacement, of a rate and of two records or more, attains over a Poisson
// sample that attains one of base: where all other records are null, noise on a sum sees a record with the probability
// that it is in both samples. Of several factors one is looked at, which is a post-processing. Nothing else is known.
func subsetOfSample(rate *big.Rat, base []pair.Product) pair.Product {
	for _, t := range slices.Concat(base...) {
		if g, ok := t.Pair.(pair.SampledReplaceGaussian); ok {
			return pair.Copies(pair.SampledReplaceGaussian{Rate: new(big.Rat).Mul(rate, g.Rate), Mu2: g.Mu2}, 1)
		}
	}
	return nil
}
