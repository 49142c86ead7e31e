// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/convolve"
)

// cutTails of an upper bound: mass at the upper end counts as missing, hence as
// infinite loss, and mass at the lower end moves up to the first entry that stays.
func (l *lattice) cutTails(budget *big.Int) *lattice {
	lo, hi := within(l.v, budget)
	if lo == 0 && hi == l.v.Len() {
		return l
	}
	v := l.v.Slice(lo, hi)
	if lo > 0 {
		below := l.v.Slice(0, lo).Sum()
		v = v.Clone()
		v.Set(0, below.Add(below, v.At(0)))
	}
	return &lattice{offset: l.offset, step: l.step, first: l.first + int64(lo), v: v, rounding: l.rounding}
}

// cutTails of groups: they are dropped as a whole.
func (g *groups) cutTails(budget *big.Int) *groups {
	return g.slice(within(g.a, budget))
}

// within returns the range that stays when at most budget is cut off at either end.
func within(v convolve.Vector, budget *big.Int) (lo, hi int) {
	lo, hi = 0, v.Len()
	for sum := new(big.Int); hi-lo > 1; lo++ {
		if sum.Add(sum, v.At(lo)).Cmp(budget) > 0 {
			break
		}
	}
	for sum := new(big.Int); hi-lo > 1; hi-- {
		if sum.Add(sum, v.At(hi-1)).Cmp(budget) > 0 {
			break
		}
	}
	return lo, hi
}
