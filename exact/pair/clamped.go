// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// ClampedLaplace is a Laplace variable clamped at 0 from below, against itself
// shifted before or after the clamping; Reversed swaps the two.
type ClampedLaplace struct {
	unlisted
	Location, Scale, Shift *big.Rat
	ShiftFirst             bool // shift-then-clamp; otherwise clamp-then-shift
	Reversed               bool
}

func (c ClampedLaplace) String() string {
	return fmt.Sprintf("ClampedLaplace(%s, %s, %s, %v)%s", c.Location.RatString(), c.Scale.RatString(),
		c.Shift.RatString(), c.ShiftFirst, reversedMark(c.Reversed))
}

func (c ClampedLaplace) Reverse() Pair {
	c.Reversed = !c.Reversed
	return c
}
func (ClampedLaplace) SelfDual() bool              { return false }
func (c ClampedLaplace) isReversed() bool          { return c.Reversed }
func (c ClampedLaplace) infMass() (*big.Rat, bool) { return new(big.Rat), c.ShiftFirst }
func (c ClampedLaplace) reach() reach {
	// A shift by t > 0 changes the loss of Laplace noise by at most t/b, clamped or not.
	if l, ok := c.maxLoss(); ok {
		return upTo(l)
	}
	return within(RatLoss(new(big.Rat).Quo(c.Shift, c.Scale)))
}

// maxLoss: clamp-then-shift has the finite losses of x > t; the largest is at x = t
// for P against Q, (|µ| − |t − µ|)/b, and t/b for Q against P. Shift-then-clamp has
// losses up to t/b, but for P against Q with µ < 0, where the largest is the loss of the
// atom and no rational.
func (c ClampedLaplace) maxLoss() (Loss, bool) {
	l := new(big.Rat).Set(c.Shift)
	switch {
	case c.Reversed:
	case c.ShiftFirst && c.Location.Sign() < 0:
		return Loss{}, false
	case !c.ShiftFirst:
		l.Abs(c.Location)
		d := new(big.Rat).Sub(c.Shift, c.Location)
		l.Sub(l, d.Abs(d))
	}
	return RatLoss(l.Quo(l, c.Scale)), true
}
