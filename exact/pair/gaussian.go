// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// Gaussian is (N(μ, 1), N(0, 1)), μ² = Mu2 > 0. A product of Gaussians is the
// Gaussian with the sum of their Mu2.
type Gaussian struct {
	mirrored
	Mu2 *big.Rat
}

func (g Gaussian) String() string { return fmt.Sprintf("Gaussian(μ²=%s)", g.Mu2.RatString()) }

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (g Gaussian) Reverse() Pair           { return g }
func (Gaussian) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (Gaussian) reach() reach              { return endless() }
