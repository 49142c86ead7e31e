// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// BoundedRange stands for every pair with log P/Q in [t − ε, t] for some t: what Logistic
// dominates. Its Rényi divergences are the worst such pair's at each order, less
// than the logistic pair's. It is a guarantee, not a pair.
type BoundedRange struct{ Eps *big.Rat }

func (b BoundedRange) String() string { return fmt.Sprintf("BoundedRange(%s)", b.Eps.RatString()) }

// It holds for both orientations.
func (b BoundedRange) Reverse() Pair           { return b }
func (BoundedRange) SelfDual() bool            { return true }
func (BoundedRange) isReversed() bool          { return false }
func (BoundedRange) Kind() Kind                { return Guarantee }
func (BoundedRange) parts() []Product          { return nil }
func (BoundedRange) infMass() (*big.Rat, bool) { return nil, false }
func (BoundedRange) reach() reach              { return unknownReach() }

// Outcomes: it has none to list.
func (BoundedRange) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) {
	return notListed()
}
