// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"fmt"

	"dpverify/exact/interval"
)

// An InconsistencyError says that two methods returned disjoint enclosures of
// the same number: a bug in one of them. It is never a property of the input.
type InconsistencyError struct {
	First, Second      string // methods
	FirstLo, FirstHi   string
	SecondLo, SecondHi string
	Product            string
	Eps                string // enclosure of ε
	Effort             Effort
	Reproduce          string // a command, where the question is known
}

func (e *InconsistencyError) Error() string {
	s := fmt.Sprintf("exact: internal error: methods disagree on δ(%s) of %s at effort %d: %s says [%s, %s], %s says "+
		"[%s, %s]",
		e.Eps, e.Product, e.Effort, e.First, e.FirstLo, e.FirstHi, e.Second, e.SecondLo, e.SecondHi)
	if e.Reproduce != "" {
		s += "; reproduce with: " + e.Reproduce
	}
	return s
}

// Contradiction reports that two enclosures of one number have nothing in common: a bug in
// one of the two that first and second name. What the number is, and a command that shows it, are for
// the caller to add.
func Contradiction(first string, x interval.Interval, second string, y interval.Interval) *InconsistencyError {
	const digits = 30
	e := &InconsistencyError{First: first, Second: second}
	e.FirstLo, e.FirstHi = x.Decimal(digits)
	e.SecondLo, e.SecondHi = y.Decimal(digits)
	return e
}

// About is an enclosure of a real number, for reports.
func About(x interval.Real) string {
	lo, hi := x(64).Decimal(20)
	return "[" + lo + ", " + hi + "]"
}
