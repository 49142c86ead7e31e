// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/exact/permuted"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// allocation resolves a random allocation: the mean over the sets of steps is attained by fixed
// queries, and dominates adaptive ones. For each step a kernel takes the base pair to the outputs
// of the step with and without the record, whatever they depend on (Blackwell);
// applied one step after the other it takes the pair of fixed queries to
// the pair of adaptive ones.
func (r *resolver) allocation(e mechanism.RandomAllocation, path string) (meaning, error) {
	switch r.rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
	case mechanism.ReplaceOne:
		return r.replacedAllocation(e, path)
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	if r.rel == mechanism.ReplaceSpecial && base.traits.presence {
		return r.undefined(e, path, "random allocation of an event that may show whether a record is there is not proved")
	}
	x, ok := onePair(base.factors)
	if !ok || !base.evidence.wholly() || x.Kind() == pair.Guarantee {
		return r.undefined(e, path,
			"random allocation is proved for one mechanism that is known in full; the random allocation of a composition, a "+
				"guarantee or a choice is not defined")
	}
	m := exactly(pair.Copies(pair.Allocation{Base: x, Selected: e.NumSelected, Steps: e.NumSteps}, 1))
	m.traits = base.traits
	return m, nil
}

// replacedAllocation resolves a random allocation of a record that another one replaces, in the same steps or others,
// which it draws by itself, of Gaussian noise on sums. The worst records are opposite, and there are no others:
// docs/theorems.md, Random allocation of a replaced record. Of several steps blocks are above, and the sum of all
// outputs is below.
func (r *resolver) replacedAllocation(e mechanism.RandomAllocation, path string) (meaning, error) {
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	mu2, other, err := gaussianSums(e.Event)
	if err != nil {
		return meaning{}, err
	}
	if other != nil {
		return r.undefined(e, path, "random allocation of "+other.ClassName()+
			", of two records that replace each other, is not proved: it is of Gaussian noise")
	}
	above, below := pair.OppositeBlocks(mu2, e.NumSelected, e.NumSteps)
	m := between(above, below)
	if e.NumSelected == 1 {
		m = exactly(above)
	}
	m.traits.allocated = true
	return m, nil
}

// shuffledBatches resolves batches of a random order. Above is the event on the batch of the record, as if the order
// were known; below, of noise on sums, data in which all others are equal. docs/theorems.md, *Batches of a random
// order*. Of an event that is one of several, batches may differ in which one, and outputs may tell whose batch has the
// record: it is an average of them.
func (r *resolver) shuffledBatches(e mechanism.ShuffledBatches, path string) (meaning, error) {
	switch r.rel {
	case mechanism.ReplaceOne, mechanism.ReplaceSpecial:
	case mechanism.AddOrRemoveOne:
		return r.undefined(e, path, "a record more or less moves others between batches of one size, so that an order of "+
			"them is not defined: ask about REPLACE_SPECIAL or REPLACE_ONE")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	sums, err := noisySums(e.Event)
	if err != nil {
		return meaning{}, err
	}
	below := []pair.Product{nil}
	if x, ok := onePair(base.factors); ok && sums {
		below = r.batchesBelow(x, e.Batches)
	}
	base.factors, base.evidence = base.factors.mixed(Averages), evidence{bounded, below}
	base.traits.drawn, base.traits.after = true, true
	return base, nil
}

// batchesBelow are what data attain in which all other records have one value. x is of a record that is replaced by a
// null one, at a distance of 1, or by an opposite one, at 2.
func (r *resolver) batchesBelow(x pair.Pair, batches int64) []pair.Product {
	hidden := pair.Allocation{Base: x, Selected: 1, Steps: batches}
	below := []pair.Product{pair.Copies(hidden, 1), pair.Copies(hidden.Reverse(), 1)}
	g, ok := x.(pair.Gaussian)
	if !ok {
		return below
	}
	unit := new(big.Rat).Quo(g.Mu2, big.NewRat(r.sensitivity*r.sensitivity, 1))
	// A null record is 1 from the others.
	for _, from := range []*big.Rat{ratOne, big.NewRat(1, 2)}[:r.sensitivity] {
		if p := permuted.Greatest(unit, from, big.NewRat(2, 1), batches); p != nil {
			below = append(below, p)
		}
	}
	return below
}

// noisySums reports whether all that e runs is noise on sums of records.
func noisySums(e mechanism.Event) (bool, error) {
	factors, err := composition.Factors(e)
	for _, f := range factors {
		switch f.Event.(type) {
		case mechanism.Gaussian, mechanism.Laplace, mechanism.DiscreteLaplace:
		default:
			return false, err
		}
	}
	return true, err
}

// onePair returns the one pair that factors are: Gaussians are one.
func onePair(f Factors) (pair.Pair, bool) {
	if len(f.Choices) > 0 {
		return nil, false
	}
	if mu2, others := f.Fixed.Gaussians(); len(others) == 0 && mu2.Sign() > 0 {
		return pair.Gaussian{Mu2: mu2}, true
	}
	return pair.Single[pair.Pair](f.Fixed)
}
