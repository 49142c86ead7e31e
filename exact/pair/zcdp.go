// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// ZCDP stands for every pair of (ξ, ρ)-zCDP in both orientations: R_α ≤ ξ + ρα for
// all α > 1. It is a guarantee, not a pair: only bounds from above apply to it.
type ZCDP struct {
	guarantee
	Rho, Xi *big.Rat
	// Noise, if not nil, is the σ² of discrete Gaussian noise on every entry of a vector of integers of any length,
	// which moves by 2ρσ² in the square of its 2-norm: of all there is to be known, the guarantee is one part.
	Noise *big.Rat
}

func (z ZCDP) String() string {
	if z.Noise != nil {
		return fmt.Sprintf("ZCDP(ρ=%s, ξ=%s, σ²=%s)", z.Rho.RatString(), z.Xi.RatString(), z.Noise.RatString())
	}
	return fmt.Sprintf("ZCDP(ρ=%s, ξ=%s)", z.Rho.RatString(), z.Xi.RatString())
}

// Reverse is the pair itself: it holds for both orientations.
func (z ZCDP) Reverse() Pair { return z }
func (ZCDP) reach() reach    { return unknownReach() }
