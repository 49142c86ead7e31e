// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"dpverify/exact/pair"
	"dpverify/mechanism"
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
		return r.undefined(e, path,
			"random allocation is defined for a record that is absent from a step; of two records that replace each other "+
				"nothing is proved")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	base, err := r.sampled(e, e.Event, path)
	if err != nil || base.factors.empty() || base.traits.nonPrivate {
		return base, err
	}
	if r.rel == mechanism.ReplaceSpecial && base.traits.presence {
		return r.undefined(e, path,
			"random allocation of an event that may show whether a record is there is not proved")
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
