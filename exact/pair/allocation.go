// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Allocation is a random allocation of a record to Selected of Steps steps of the pair
// (P, Q) = Base: the mean of Π_{i∈S} P × Π_{i∉S} Q over all sets S of Selected steps, against
// Q^Steps; the other way round when Reversed. 0 < Selected < Steps.
type Allocation struct {
	Base            Pair
	Selected, Steps int64
	Reversed        bool
}

func (a Allocation) String() string {
	return fmt.Sprintf("Allocation(%d of %d, %s)%s", a.Selected, a.Steps, a.Base, reversedMark(a.Reversed))
}

// Reverse exchanges the mean and Q^Steps: Base stays what it is.
func (a Allocation) Reverse() Pair {
	a.Reversed = !a.Reversed
	return a
}
func (Allocation) SelfDual() bool     { return false }
func (a Allocation) isReversed() bool { return a.Reversed }

// Kind: a set of outcomes is listed by no one, but for small bases; engines bound it.
func (a Allocation) Kind() Kind {
	if a.Base.Kind() == Guarantee {
		return Guarantee
	}
	return Unlisted
}
func (Allocation) parts() []Product { return nil }

// infMass: under the mean, an outcome is impossible under Q^Steps if it is so in one of the
// Selected steps. Under Q^Steps, with a set of steps in which P = 0 has mass, it is
// impossible under the mean if more than Steps − Selected steps have such an outcome.
func (a Allocation) infMass() (*big.Rat, bool) {
	if !a.Reversed {
		return InfMass(Product{{a.Base, a.Selected}})
	}
	m, ok := a.Base.Reverse().infMass()
	if ok && m.Sign() == 0 {
		return m, true
	}
	if ok && a.Selected == 1 {
		return ratPowWithin(m, a.Steps)
	}
	return nil, false
}

// ratPowWithin returns r^n, if that is a rational number of moderate length.
func ratPowWithin(r *big.Rat, n int64) (*big.Rat, bool) {
	const maxBits = 1 << 17
	if n > maxBits || int64(r.Denom().BitLen())*n > maxBits {
		return nil, false
	}
	return ratPow(r, n), true
}

// reach: the ratio is the mean of products of Selected ratios of the base, which are independent under Q^Steps: its supremum is the one of
// the product of Selected of them, and so is its infimum, unless a ratio may be 0: then the mean of 0 and others may be smaller.
func (a Allocation) reach() reach {
	base := a.Base
	if a.Reversed {
		base = base.Reverse()
		if m, ok := base.infMass(); !ok || m.Sign() != 0 {
			return unknownReach()
		}
	}
	single := Product{{base, a.Selected}}
	if l, ok := MaxLoss(single); ok {
		return upTo(l)
	}
	if l, ok := LossBound(single); ok {
		return within(l)
	}
	if Unbounded(single) {
		return endless()
	}
	return unknownReach()
}

// Outcomes: it has none to list.
func (Allocation) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) {
	return notListed()
}

// allocation resolves a random allocation: the mean over the sets of steps is attained by fixed
// queries, and dominates adaptive ones. For each step a kernel takes the base pair to the outputs
// of the step with and without the record, whatever they depend on (Blackwell);
// applied one step after the other it takes the pair of fixed queries to
// the pair of adaptive ones.
//
// k of t steps, from above: split the steps at random into k blocks, of sizes that do not depend
// on the data, and allocate to one step of each block. By symmetry that is a uniformly
// random set of k steps. Given the blocks it is a product of allocations to one step, and H_α is
// jointly convex: the product of k blocks of ⌊t/k⌋ or ⌈t/k⌉ steps dominates. From below
// it is what it is.
func (r *resolver) allocation(e mechanism.RandomAllocation, path string) (meaning, error) {
	switch r.rel {
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
	case mechanism.ReplaceOne:
		return r.undefined(e, path, "random allocation is defined for a record that is absent from a step; of two records that replace each other nothing is proved")
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
	if !ok || !base.evidence.wholly() || x.Kind() == Guarantee {
		return r.undefined(e, path, "random allocation is proved for one mechanism that is known in full; the random allocation of a composition, a guarantee or a choice is not defined")
	}
	if e.NumSelected == 1 {
		m := exactly(Product{{Allocation{Base: x, Selected: 1, Steps: e.NumSteps}, 1}})
		m.traits = base.traits
		return m, nil
	}
	size, longer := e.NumSteps/e.NumSelected, e.NumSteps%e.NumSelected
	block := func(steps, count int64) Product {
		if count == 0 {
			return nil
		}
		if steps == 1 {
			return Product{{x, count}}
		}
		return Product{{Allocation{Base: x, Selected: 1, Steps: steps}, count}}
	}
	blocks := append(block(size, e.NumSelected-longer), block(size+1, longer)...)
	m := between(blocks, Product{{Allocation{Base: x, Selected: e.NumSelected, Steps: e.NumSteps}, 1}})
	m.traits = base.traits
	return m, nil
}

// onePair returns the one pair that factors are: Gaussians are one.
func onePair(f Factors) (Pair, bool) {
	if len(f.Choices) > 0 {
		return nil, false
	}
	if mu2, others := f.Fixed.Gaussians(); len(others) == 0 && mu2.Sign() > 0 {
		return Gaussian{Mu2: mu2}, true
	}
	return Single[Pair](f.Fixed)
}
