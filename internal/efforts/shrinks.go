// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"dpverify/exact"
	"dpverify/exact/interval"
)

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
