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
