// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Repeated stands for the best of K independent runs, by any order of the outputs, of any mechanism that Base
// dominates: the greatest profile of these. K has the distribution of mechanism.RepeatAndSelect.
//
// The greatest of convex functions is convex, so that it is the profile of a pair, which dominates all of these
// mechanisms and is attained at each ε by one of them. With an Aim t it is one of them: the one whose order is chosen
// for the moment of order 1 + t, the same in every round.
type Repeated struct {
	Base  Product
	Mean  *big.Rat
	Shape *big.Rat // nil: infinite
	Aim   *big.Rat
}

func (x Repeated) String() string {
	shape := "∞"
	if x.Shape != nil {
		shape = x.Shape.RatString()
	}
	of := ""
	if x.Aim != nil {
		of = fmt.Sprintf(", in an order for 1 + %s", x.Aim.RatString())
	}
	return fmt.Sprintf("Repeated(mean %s, shape %s, %s%s)", x.Mean.RatString(), shape, x.Base, of)
}

// Reverse: the orders are all orders, with either record first.
func (x Repeated) Reverse() Pair {
	x.Base = x.Base.Reverse()
	return x
}
func (x Repeated) SelfDual() bool          { return x.Base.SelfDual() }
func (Repeated) isReversed() bool          { return false }
func (x Repeated) parts() []Product        { return []Product{x.Base} }
func (Repeated) infMass() (*big.Rat, bool) { return nil, false }
func (Repeated) reach() reach              { return unknownReach() }

// Kind: of guarantees, a guarantee.
func (x Repeated) Kind() Kind {
	if x.Base.IsGuarantee() {
		return Guarantee
	}
	return Unlisted
}

// Outcomes: it has none to list.
func (Repeated) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) { return notListed() }

// RepeatedDivergence stands for the Rényi divergences that a Repeated has at most: each mechanism's, which are
// less than the divergences of the pair of the greatest profile.
type RepeatedDivergence struct{ Of Repeated }

func (x RepeatedDivergence) String() string          { return "Divergence" + x.Of.String() }
func (x RepeatedDivergence) Reverse() Pair           { return RepeatedDivergence{x.Of.Reverse().(Repeated)} }
func (x RepeatedDivergence) SelfDual() bool          { return x.Of.SelfDual() }
func (RepeatedDivergence) isReversed() bool          { return false }
func (RepeatedDivergence) Kind() Kind                { return Guarantee }
func (x RepeatedDivergence) parts() []Product        { return x.Of.parts() }
func (RepeatedDivergence) infMass() (*big.Rat, bool) { return nil, false }
func (RepeatedDivergence) reach() reach              { return unknownReach() }

// Outcomes: it has none to list.
func (RepeatedDivergence) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) {
	return notListed()
}
