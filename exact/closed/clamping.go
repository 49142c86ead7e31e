// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/interval"
)

// A clamping is noise about a location against its shift, where all below 0 becomes 0, before the shift or after it.
type clamping struct {
	w                      interval.Prec
	location, width, shift *big.Rat
	// below and above are the distribution function of the noise about 0 of width 1, and what it leaves.
	below, above func(interval.Prec, interval.Interval) interval.Interval
}

// scaled returns (x − µ)/b.
func (g clamping) scaled(x interval.Interval) interval.Interval {
	return g.w.Div(g.w.Sub(x, g.w.Rat(g.location)), g.w.Rat(g.width))
}

func (g clamping) cdf(x interval.Interval) interval.Interval { return g.below(g.w, g.scaled(x)) }
func (g clamping) sf(x interval.Interval) interval.Interval  { return g.above(g.w, g.scaled(x)) }

// atomLoss returns l₀ = log(F(0)/F(−t)), the loss at 0 if all below becomes 0 after the shift.
func (g clamping) atomLoss() interval.Interval {
	return g.w.Log(g.w.Div(g.cdf(zero), g.cdf(g.w.Rat(g.shift).Neg())))
}

// A clampedPair has tails for both orders of clamping and shifting, and in both orientations.
type clampedPair interface {
	clampFirst(Arg) (p, q interval.Interval)
	clampFirstReversed(Arg) (p, q interval.Interval)
	clampLast(Arg) (p, q interval.Interval)
	clampLastReversed(Arg) (p, q interval.Interval)
}

// clampedTail returns the tails of one of the four.
func clampedTail(g clampedPair, shiftFirst, reversed bool) func(Arg) (p, q interval.Interval) {
	switch {
	case shiftFirst && reversed:
		return g.clampLastReversed
	case shiftFirst:
		return g.clampLast
	case reversed:
		return g.clampFirstReversed
	}
	return g.clampFirst
}
