// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package compare

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/internal/prose"
)

// inWords writes an excess in a few digits.
func inWords(d interval.Interval) string {
	switch {
	case d.Negative() == interval.True:
		return prose.About(d.Neg()) + " % less"
	case d.Positive() == interval.True:
		return prose.About(d) + " % more"
	}
	return "the same"
}

// isBelow reports an excess, in per cent, that is below 0 by more than what the digits of the comparison hide.
func (c *Comparison) isBelow(d interval.Interval) bool {
	return d.LessRat(new(big.Rat).SetFrac64(-100, int64(math.Pow10(min(c.Digits, 15))))) == interval.True
}
