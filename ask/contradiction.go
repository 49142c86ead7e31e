// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"dpverify/exact"
	"dpverify/exact/interval"
)

// Contradiction reports that two enclosures of one number have nothing in common: a bug in
// what first or second names. What the number is, and a command that shows it, are for the
// caller to add.
func Contradiction(first string, x interval.Interval, second string, y interval.Interval) *exact.InconsistencyError {
	const digits = 30
	e := &exact.InconsistencyError{First: first, Second: second}
	e.FirstLo, e.FirstHi = x.Decimal(digits)
	e.SecondLo, e.SecondHi = y.Decimal(digits)
	return e
}
