// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// ZCDP stands for every pair of (ξ, ρ)-zCDP in both orientations: R_α ≤ ξ + ρα for
// all α > 1. It is a guarantee, not a pair: only bounds from above apply to it.
type ZCDP struct{ Rho, Xi *big.Rat }

func (z ZCDP) String() string {
	return fmt.Sprintf("ZCDP(ρ=%s, ξ=%s)", z.Rho.RatString(), z.Xi.RatString())
}

// It holds for both orientations.
func (z ZCDP) Reverse() Pair           { return z }
func (ZCDP) SelfDual() bool            { return true }
func (ZCDP) isReversed() bool          { return false }
func (ZCDP) Kind() Kind                { return Guarantee }
func (ZCDP) parts() []Product          { return nil }
func (ZCDP) infMass() (*big.Rat, bool) { return nil, false }
func (ZCDP) reach() reach              { return unknownReach() }

// Outcomes: it has none to list.
func (ZCDP) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) { return notListed() }
