// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// Laplace is (Lap(x, 1), Lap(0, 1)) with x = Shift > 0, the sensitivity over the
// scale.
type Laplace struct {
	mirrored
	Shift *big.Rat
}

func (l Laplace) String() string { return fmt.Sprintf("Laplace(%s)", l.Shift.RatString()) }

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (l Laplace) Reverse() Pair           { return l }
func (Laplace) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (l Laplace) reach() reach            { return upTo(RatLoss(l.Shift)) }
