// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package decimal prints the ends of enclosures so that they show how these compare with a number, and reads such ends
// again.
package decimal

import (
	"math/big"
	"strings"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// Separating returns decimal strings lo ≤ e ≤ hi of at most n significant
// digits, or of as many more as it takes to show how e compares with r: where e ≤ r is
// certain, hi ≤ r, and where e > r is certain, lo > r. An end that is r itself, and no
// decimal, is rounded outwards: no digits are enough.
func Separating(e exact.Enclosure, r *big.Rat, n int) (lo, hi string) {
	lo, hi = e.Decimal(n)
	switch e.LessEqRat(r) {
	case interval.True:
		if Compare(hi, r) > 0 {
			hi = endWithin(e, r, hi)
		}
	case interval.False:
		if Compare(lo, r) <= 0 {
			lo = digitsOf(e.Lo(), lo, func(lo, _ string) (string, bool) { return lo, Compare(lo, r) > 0 })
		}
	}
	return lo, hi
}

// endWithin returns a decimal string for the upper end of an e ≤ r that is at most r; hi if there
// is none, as e reaches up to r.
func endWithin(e exact.Enclosure, r *big.Rat, hi string) string {
	if e.LessRat(r) == interval.True {
		return digitsOf(e.Hi(), hi, func(_, hi string) (string, bool) { return hi, Compare(hi, r) <= 0 })
	}
	if s := number.Format(r); !strings.Contains(s, "/") {
		return s
	}
	return hi
}

// digitsOf rounds one end of an enclosure to as few digits as enough says are enough; it returns
// old if none are. The enclosure itself may be too wide for any number of digits to be of use.
func digitsOf(end *big.Float, old string, enough func(lo, hi string) (string, bool)) string {
	const most = 10_000 // more than the digits of the highest effort
	for n := 2; n <= most; n += 1 + n/8 {
		lo, hi := interval.Point(end).Decimal(n)
		if s, ok := enough(lo, hi); ok {
			return s
		}
		if lo == hi {
			break
		}
	}
	return old
}
