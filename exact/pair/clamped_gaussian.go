// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// ClampedGaussian is a Gaussian variable clamped at 0 from below, against itself shifted
// before or after the clamping; Reversed swaps the two.
type ClampedGaussian struct {
	unlisted
	Location, Sigma, Shift *big.Rat
	ShiftFirst             bool // shift-then-clamp; otherwise clamp-then-shift
	Reversed               bool
}

func (c ClampedGaussian) String() string {
	return fmt.Sprintf("ClampedGaussian(%s, %s, %s, %v)%s", c.Location.RatString(), c.Sigma.RatString(),
		c.Shift.RatString(), c.ShiftFirst, reversedMark(c.Reversed))
}

func (c ClampedGaussian) Reverse() Pair {
	c.Reversed = !c.Reversed
	return c
}
func (ClampedGaussian) SelfDual() bool              { return false }
func (c ClampedGaussian) isReversed() bool          { return c.Reversed }
func (c ClampedGaussian) infMass() (*big.Rat, bool) { return new(big.Rat), c.ShiftFirst }

// reach: the loss of the unclamped noise at x is t(t + 2µ − 2x)/2σ². It falls with x, and without
// end: reversed, losses are unbounded. Clamp-then-shift has finite losses at x > t only, the greatest
// next to x = t, t(2µ − t)/2σ². Shift-then-clamp has its greatest loss at the atom.
func (c ClampedGaussian) reach() reach {
	switch {
	case c.Reversed:
		return endless()
	case c.ShiftFirst:
		return unknownReach()
	}
	l := new(big.Rat).Add(c.Location, c.Location)
	l.Sub(l, c.Shift)
	l.Mul(l, c.Shift)
	s2 := new(big.Rat).Mul(c.Sigma, c.Sigma)
	return upTo(RatLoss(l.Quo(l, s2.Add(s2, s2))))
}
