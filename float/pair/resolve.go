// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"

	"dpverify/float/value"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// Resolve returns the products whose profiles' maximum answers a question. The error is
// an *UnsupportedError, or one of package mechanism.
func Resolve(e mechanism.Event, rel mechanism.Relation, d mechanism.Direction) ([]Product, error) {
	if err := mechanism.CheckQuestion(e, rel, d); err != nil {
		return nil, err
	}
	r, err := newResolver(rel)
	if err != nil {
		return nil, err
	}
	if some, changed := composition.SampleSome(e); changed { // it has to have a meaning
		if _, err := r.product(some); err != nil {
			return nil, err
		}
	}
	p, err := r.product(e)
	if err != nil {
		return nil, err
	}
	if p.SelfDual() {
		return []Product{p}, nil
	}
	if r.exchange {
		if len(p) > 1 || p[0].Count > 1 {
			return nil, &UnsupportedError{e.ClassName(),
				"a composition of factors that are not self-dual under REPLACE_ONE has no pair that is attained"}
		}
		if d != mechanism.Both {
			return nil, &UnsupportedError{e.ClassName(),
				"one direction of a factor that is not self-dual is not defined under REPLACE_ONE"}
		}
	}
	switch d {
	case mechanism.Remove:
		return []Product{p}, nil
	case mechanism.Add:
		return []Product{p.Reverse()}, nil
	}
	return []Product{p, p.Reverse()}, nil
}

type resolver struct {
	rel mechanism.Relation
	// sensitivity: replacing a record of norm C by another moves a sum by up to 2C.
	sensitivity int64
	// exchange says that the records may be exchanged in every factor apart.
	exchange bool
}

func newResolver(rel mechanism.Relation) (resolver, error) {
	switch rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
		return resolver{rel, 1, false}, nil
	case mechanism.ReplaceOne:
		return resolver{rel, 2, true}, nil
	}
	return resolver{}, mechanism.UnknownRelation(rel)
}

// product resolves a composition. Gaussians are merged into one.
func (r resolver) product(e mechanism.Event) (Product, error) {
	fs, err := composition.Factors(e)
	if err != nil {
		return nil, err
	}
	var out Product
	mu2 := new(big.Rat)
	for _, f := range fs {
		ts, err := r.factor(f.Event)
		if err != nil {
			return nil, err
		}
		for _, t := range ts {
			if t.Count > mechanism.MaxCount/f.Count {
				return nil, &UnsupportedError{e.ClassName(), "too many factors"}
			}
			n := t.Count * f.Count
			if g, ok := t.Pair.(Gaussian); ok {
				mu2.Add(mu2, new(big.Rat).Mul(g.Mu2, new(big.Rat).SetInt64(n)))
				continue
			}
			if d, ok := t.Pair.(Discrete); ok && trivial(d) {
				continue
			}
			out = append(out, Term{t.Pair, n})
		}
	}
	if mu2.Sign() > 0 {
		out = append(out, Term{Gaussian{mu2}, 1})
	}
	return out, nil
}

// trivial reports whether a pair has equal distributions, for certain.
func trivial(d Discrete) bool {
	for _, o := range d.Outcomes {
		if o.P != o.Q || o.P.Err != 0 || o.Loss != (value.Value{}) {
			return false
		}
	}
	return d.Rest == 0
}

// factor resolves one factor.
func (r resolver) factor(e mechanism.Event) (Product, error) {
	one := func(p Pair) (Product, error) { return Product{{p, 1}}, nil }
	refuse := func(reason string) (Product, error) { return nil, &UnsupportedError{e.ClassName(), reason} }
	c := r.sensitivity
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return one(nonPrivate)
	case mechanism.Gaussian:
		return one(Gaussian{new(big.Rat).Quo(big.NewRat(c*c, 1), e.Variance())})
	case mechanism.SingleEpochTreeAggregation:
		if r.rel == mechanism.AddOrRemoveOne {
			return refuse("a tree of fixed places has no neighbour with a record more or less")
		}
		// One Gaussian for each level that some node of the first record has.
		levels := int64(0)
		for _, steps := range e.StepCounts {
			n := int64(0)
			for width := int64(1); width <= steps; width *= 2 {
				n++
			}
			levels = max(levels, n)
		}
		if levels == 0 {
			return nil, nil
		}
		mu := new(big.Rat).Quo(big.NewRat(c, 1), e.NoiseMultiplier)
		return Product{{Gaussian{mu.Mul(mu, mu)}, levels}}, nil
	case mechanism.Group:
		alone, err := group(e)
		if err != nil {
			return nil, err
		}
		return r.factor(alone)
	case mechanism.MatrixMechanism:
		return matrix(e, c)
	case mechanism.Laplace:
		return one(Laplace{new(big.Rat).Quo(big.NewRat(c, 1), e.NoiseMultiplier)})
	case mechanism.EpsilonDelta:
		return one(response(e.Epsilon, e.Delta))
	case mechanism.FinitePair:
		return one(finite(e.P, e.Q))
	case mechanism.HistogramPair:
		return one(finite(e.P, e.Q))
	case mechanism.AdditiveNoise:
		if !e.Symmetric() || !e.Falling() || e.Kind == mechanism.Lattice &&
			!new(big.Rat).Quo(e.Sensitivity, e.Cell).IsInt() {
			return refuse("more than one shift of the noise is not covered by the fast path")
		}
		return one(finite(e.Shifted(e.Sensitivity)))
	case mechanism.RandomizedResponse:
		switch r.rel {
		case mechanism.AddOrRemoveOne:
			return refuse("randomized response has no neighbour with a record more or less")
		case mechanism.ReplaceOne:
			return one(randomizedResponse(e.NoiseParameter, e.NumBuckets))
		case mechanism.ReplaceSpecial:
			return one(specialResponse(e.NoiseParameter, e.NumBuckets))
		}
		return nil, mechanism.UnknownRelation(r.rel)
	case mechanism.DiscreteLaplace:
		if d, ok := discreteLaplace(e.NoiseParameter, c*e.Sensitivity); ok {
			return one(d)
		}
		return refuse("too many outcomes")
	case mechanism.DiscreteGaussian:
		s, ok := oneShift(e)
		if !ok {
			return refuse("shifts in more than one dimension are not covered by the fast path")
		}
		if d, ok := discreteGaussian(e.Sigma2(), s); ok {
			return one(d)
		}
		return refuse("too many outcomes")
	case mechanism.Truncated:
		return one(Truncated(e))
	case mechanism.PoissonSampled:
		all, some, err := revealing(e.Event)
		if err != nil {
			return nil, err
		}
		switch r.rel {
		case mechanism.AddOrRemoveOne:
			return r.sampled(e.Event, e.SamplingProbability)
		case mechanism.ReplaceSpecial:
			if some {
				return r.revealed(e.Event, e.SamplingProbability)
			}
			return r.sampled(e.Event, e.SamplingProbability)
		case mechanism.ReplaceOne:
			if all {
				return r.revealed(e.Event, e.SamplingProbability)
			}
			if g, ok := alone(e.Event); ok {
				return one(Replaced{e.SamplingProbability, new(big.Rat).Inv(g.Variance())})
			}
			return refuse("Poisson sampling under REPLACE_ONE is covered for guarantees and for one Gaussian only")
		}
		return nil, mechanism.UnknownRelation(r.rel)
	case mechanism.SampledWithoutReplacement:
		switch r.rel {
		case mechanism.ReplaceOne:
		case mechanism.AddOrRemoveOne:
			// Theorem 11(2): n counts the record that one of the two has more, and the base is of replacing one.
			if e.SampleSize == e.SourceDatasetSize {
				return refuse("a sample of all records is not defined where one has a record less")
			}
			replace := resolver{mechanism.ReplaceOne, 2, true}
			base, err := replace.product(e.Event)
			if err != nil {
				return nil, err
			}
			for _, t := range base {
				if m, ok := t.Pair.(Discrete); ok && m.Mixed {
					return refuse("sampling without replacement of a Poisson sample is not covered")
				}
			}
			return replace.product(e)
		case mechanism.ReplaceSpecial:
			return refuse("sampling without replacement is not defined under REPLACE_SPECIAL")
		default:
			return nil, mechanism.UnknownRelation(r.rel)
		}
		base, err := r.product(e.Event)
		if err != nil || e.SampleSize == e.SourceDatasetSize {
			return base, err
		}
		for _, t := range base {
			if m, ok := t.Pair.(Discrete); ok && m.Mixed && e.SampleSize > 1 && !base.hasNonPrivate() {
				return refuse("sampling without replacement of a Poisson sample is not covered")
			}
		}
		if !base.SelfDual() {
			return refuse("sampling without replacement of a pair that is not self-dual is not covered")
		}
		return r.sampled(e.Event, big.NewRat(e.SampleSize, e.SourceDatasetSize))
	}
	return refuse("not covered by the fast path")
}

// alone is the Gaussian that an event is; false if it is none.
func alone(e mechanism.Event) (g mechanism.Gaussian, ok bool) {
	fs, err := composition.Factors(e)
	if err != nil || len(fs) != 1 || fs[0].Count != 1 {
		return g, false
	}
	g, ok = fs[0].Event.(mechanism.Gaussian)
	return g, ok
}

// revealing reports whether all factors of an event, and whether some, may tell an absent
// record from any other: guarantees, selections, functions that are bounded under the relation, and local randomizers.
func revealing(e mechanism.Event) (all, some bool, err error) {
	fs, err := composition.Factors(e)
	all = true
	for _, f := range fs {
		reveals := false
		switch x := f.Event.(type) {
		case mechanism.NonPrivate, mechanism.EpsilonDelta, mechanism.ZCDP, mechanism.RenyiCurve,
			mechanism.DominatingPair, mechanism.TradeOff,
			mechanism.ExponentialMechanism, mechanism.PermuteAndFlip, mechanism.RandomizedResponse,
			mechanism.LocalRandomizer, mechanism.DiscreteGaussian:
			reveals = true
		case mechanism.PoissonSampled:
			if _, inner, err := revealing(x.Event); err != nil || inner {
				all, some = false, true
				continue
			}
		}
		all, some = all && reveals, some || reveals
	}
	return all, some, err
}

// nonPrivate is disjoint distributions; no sample makes it private.
var nonPrivate = func() Discrete {
	d := response(new(big.Rat), ratOne)
	d.NonPrivate = true
	return d
}()

func (p Product) hasNonPrivate() bool {
	for _, t := range p {
		if d, ok := t.Pair.(Discrete); ok && d.NonPrivate {
			return true
		}
	}
	return false
}

// revealed resolves a Poisson sample that tells whether it has the record: at a rate, the
// base, and otherwise nothing.
func (r resolver) revealed(e mechanism.Event, rate *big.Rat) (Product, error) {
	return r.sample(e, func(d Discrete) Discrete { return d.mix(rate) }, func(Product) (Product, error) {
		return nil, &UnsupportedError{e.ClassName(), "a sample that shows whether it has the record is not covered"}
	})
}

// sampled resolves a sample at a rate in (0, 1).
func (r resolver) sampled(e mechanism.Event, rate *big.Rat) (Product, error) {
	return r.sample(e, func(d Discrete) Discrete { return d.sample(rate) }, func(base Product) (Product, error) {
		return Product{{Sampled{Rate: rate, Base: base}, 1}}, nil
	})
}

// sample resolves a sample of one discrete pair, or of any other product.
func (r resolver) sample(e mechanism.Event, discrete func(Discrete) Discrete,
	other func(Product) (Product, error)) (Product, error) {
	fs, err := composition.Factors(e)
	if err != nil {
		return nil, err
	}
	for _, f := range fs {
		switch f.Event.ClassName() {
		case mechanism.SingleEpochTreeAggregation{}.ClassName(), mechanism.MatrixMechanism{}.ClassName(),
			mechanism.Group{}.ClassName():
			return nil, &UnsupportedError{e.ClassName(),
				"a sample of records with fixed places, or of groups, is not defined"}
		case mechanism.SampledWithoutReplacement{}.ClassName():
			if !r.exchange { // where a record is replaced, how many there are is fixed
				return nil, &UnsupportedError{e.ClassName(),
					"a sample of a sample of a fixed size is not defined where a record is added or removed"}
			}
		}
	}
	base, err := r.product(e)
	if err != nil || len(base) == 0 {
		return nil, err
	}
	if base.hasNonPrivate() {
		return Product{{nonPrivate, 1}}, nil
	}
	if len(base) == 1 && base[0].Count == 1 {
		if d, ok := base[0].Pair.(Discrete); ok {
			return Product{{discrete(d), 1}}, nil
		}
	}
	return other(base)
}

// oneShift returns the one shift of a vector of integers that dominates all others: ⌊Δ⌋ in one
// dimension, or if Δ² < 2. It reports false if there is none.
func oneShift(e mechanism.DiscreteGaussian) (int64, bool) {
	square := new(big.Rat).Mul(e.Sensitivity, e.Sensitivity)
	floor := new(big.Int).Quo(e.Sensitivity.Num(), e.Sensitivity.Denom())
	return floor.Int64(), e.Dimension == 1 || square.Cmp(big.NewRat(2, 1)) < 0
}
