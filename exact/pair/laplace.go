// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Laplace is (Lap(x, 1), Lap(0, 1)) with x = Shift > 0, the sensitivity over the
// scale.
type Laplace struct{ Shift *big.Rat }

func (l Laplace) String() string { return fmt.Sprintf("Laplace(%s)", l.Shift.RatString()) }

// Additive noise of a symmetric density f: x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (l Laplace) Reverse() Pair           { return l }
func (Laplace) SelfDual() bool            { return true }
func (Laplace) isReversed() bool          { return false }
func (Laplace) Kind() Kind                { return Unlisted }
func (Laplace) parts() []Product          { return nil }
func (Laplace) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (l Laplace) reach() reach            { return upTo(RatLoss(l.Shift)) }

// Outcomes: it has none to list.
func (Laplace) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) { return notListed() }
