// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/mechanism"
)

// Clamped is noise about a location clamped at 0 from below, against itself
// shifted before or after the clamping; Reversed swaps the two.
type Clamped struct {
	unlisted
	Noise                  mechanism.Noise
	Location, Width, Shift *big.Rat
	ShiftFirst             bool // shift-then-clamp; otherwise clamp-then-shift
	Reversed               bool
}

func (c Clamped) String() string {
	return fmt.Sprintf("Clamped%s(%s, %s, %s, %v)%s", c.Noise, c.Location.RatString(), c.Width.RatString(),
		c.Shift.RatString(), c.ShiftFirst, reversedMark(c.Reversed))
}

func (c Clamped) Reverse() Pair {
	c.Reversed = !c.Reversed
	return c
}
func (Clamped) SelfDual() bool              { return false }
func (c Clamped) isReversed() bool          { return c.Reversed }
func (c Clamped) infMass() (*big.Rat, bool) { return new(big.Rat), c.ShiftFirst }

// reach: clamp-then-shift has the finite losses of x > t. Shift-then-clamp has them all, and that of the atom.
//
// Laplace: a shift by t > 0 changes the loss by at most t/b, clamped or not. Q against P reaches t/b, as does P
// against Q of shift-then-clamp with µ ≥ 0; for µ < 0 the greatest loss is that of the atom, and no rational.
// P against Q of clamp-then-shift reaches (|µ| − |t − µ|)/b, at x = t.
//
// Gaussian: the loss of the unclamped noise at x is t(t + 2µ − 2x)/2σ². It falls with x, and without end: reversed,
// losses are unbounded. Clamp-then-shift reaches t(2µ − t)/2σ², next to x = t, and shift-then-clamp the loss of
// the atom.
func (c Clamped) reach() reach {
	if c.Noise == GaussianNoise {
		switch {
		case c.Reversed:
			return endless()
		case c.ShiftFirst:
			return unknownReach()
		}
		l := new(big.Rat).Add(c.Location, c.Location)
		l.Sub(l, c.Shift)
		return upTo(RatLoss(halfOver(l.Mul(l, c.Shift), c.Width)))
	}
	l := new(big.Rat).Set(c.Shift)
	switch {
	case c.Reversed:
	case c.ShiftFirst && c.Location.Sign() < 0:
		return within(RatLoss(l.Quo(l, c.Width)))
	case !c.ShiftFirst:
		l.Abs(c.Location)
		d := new(big.Rat).Sub(c.Shift, c.Location)
		l.Sub(l, d.Abs(d))
	}
	return upTo(RatLoss(l.Quo(l, c.Width)))
}
