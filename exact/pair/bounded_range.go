// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// BoundedRange stands for every pair with log P/Q in [t − ε, t] for some t: what Logistic
// dominates. Its Rényi divergences are the worst such pair's at each order, less
// than the logistic pair's. It is a guarantee, not a pair.
type BoundedRange struct {
	guarantee
	Eps *big.Rat
}

func (b BoundedRange) String() string { return fmt.Sprintf("BoundedRange(%s)", b.Eps.RatString()) }

// Reverse is the pair itself: it holds for both orientations.
func (b BoundedRange) Reverse() Pair { return b }
func (BoundedRange) reach() reach    { return unknownReach() }
