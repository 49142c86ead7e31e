// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
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
