// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"
	"sync/atomic"

	"dpverify/exact/kernel"
)

// fromFixed returns the enclosure [lo, hi]·2^−w.
func (p Prec) fromFixed(lo, hi *big.Int, w int) Interval {
	return Interval{p.fixed(down, lo, w), p.fixed(up, hi, w)}
}

// constant returns the enclosure of a number C from c with c ≤ C·2^w < c + 2.
func (p Prec) constant(fixed func(w int) *big.Int) Interval {
	p.check()
	w := int(p) + 8
	c := fixed(w)
	return p.fromFixed(c, new(big.Int).Add(c, big.NewInt(2)), w)
}

// Pi returns an enclosure of π.
func (p Prec) Pi() Interval { return p.kept(&keptPi, func() Interval { return p.constant(kernel.Pi) }) }

// Ln2 returns an enclosure of log 2.
func (p Prec) Ln2() Interval { return p.constant(kernel.Ln2) }

// kept returns the constant that f computes, which depends on p alone, from a table of few precisions.
func (p Prec) kept(table *[maxKept]atomic.Pointer[Interval], f func() Interval) Interval {
	if p >= maxKept {
		return f()
	}
	x := table[p].Load()
	if x == nil {
		y := f()
		x = &y
		table[p].Store(x)
	}
	return *x
}

// maxKept is the precision from which constants are computed each time.
const maxKept = 512

var keptPi [maxKept]atomic.Pointer[Interval]
