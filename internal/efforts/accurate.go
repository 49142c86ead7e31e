// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"dpverify/exact"
	"dpverify/exact/interval"
)

// Accurate reports hi − lo ≤ 10^−digits·|hi|, or ≤ 10^−floor if floor > 0. The
// exact value, and an infinite one, are accurate.
func Accurate(e exact.Enclosure, digits, floor int) bool {
	if e.Value != nil || e.IsPoint() {
		return true
	}
	lo, hi := e.Lo(), e.Hi()
	if lo.IsInf() || hi.IsInf() {
		return lo.IsInf() && hi.IsInf() && lo.Signbit() == hi.Signbit()
	}
	const p = interval.Prec(64)
	l, h := interval.Point(lo), interval.Point(hi)
	width := p.Sub(h, l)
	wanted := p.Mul(h.Abs(), p.PowInt(interval.Int(10), int64(-digits)))
	if floor > 0 {
		wanted = interval.Max(wanted, p.PowInt(interval.Int(10), int64(-floor)))
	}
	return width.LessEq(wanted) == interval.True
}

// Shrinks reports whether a rung of the ladder has narrowed an enclosure by a tenth
// or more. Where no method bounds an event tightly from both sides, enclosures stop
// shrinking at a gap that more effort does not close, and the climb ends there.
func Shrinks(before, after exact.Enclosure) bool {
	const p = interval.Prec(64)
	width := func(e exact.Enclosure) interval.Interval {
		return p.Sub(interval.Point(e.Hi()), interval.Point(e.Lo()))
	}
	if !before.IsFinite() {
		return after.Lo().Cmp(before.Lo()) != 0 || after.Hi().Cmp(before.Hi()) != 0
	}
	return p.Mul(width(after), interval.Int(10)).Less(p.Mul(width(before), interval.Int(9))) == interval.True
}
