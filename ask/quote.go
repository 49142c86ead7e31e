// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import "dpverify/internal/number"

// Quote is the number to quote of a quantity with a name of a [Kind]: what holds, by the rule of [number.QuoteAbove].
// The least type II error of a trade-off function is rounded down, all others are rounded up, and an ε below 0 is
// quoted as 0.
func (a Answer) Quote(name string) string {
	switch {
	case name == KindTradeOff.Name:
		return number.QuoteBelow(a)
	case name == KindEpsilon.Name && a.Interval.Hi().Sign() <= 0:
		return "0"
	}
	return number.QuoteAbove(a)
}
