// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"math/big"

	"dpverify/exact"
)

// A Check is all comparisons of one event.
type Check struct {
	At          []string       // the ε, as they were written
	Comparisons []Comparison   // of both engines at each of them
	Pairs       map[string]int // how many values two methods of the exact engine agree on
	Err         error          // the disagreement that ended it
}

const (
	checkEffort     = 2    // up to which both engines are compared
	checkMethodCost = 10.0 // seconds
)

// CheckEvent compares both engines, and the methods of the exact one with each other. The error is of the
// question, or of the engine; a disagreement is in the check.
func CheckEvent(ctx context.Context, q exact.Question, at []*big.Rat, written []string) (Check, error) {
	c := Check{At: written}
	c.Comparisons, c.Err = Compare(ctx, q, at, checkEffort)
	if c.Err == nil {
		c.Pairs, c.Err = Methods(ctx, q, at, 0, checkMethodCost)
	}
	if c.Err != nil && !IsDisagreement(c.Err) {
		return c, c.Err
	}
	return c, nil
}

// IsDisagreement reports whether an error says that two computations contradict each other.
func IsDisagreement(err error) bool {
	return is[*Violation](err) || is[*FunctionViolation](err) || is[*ProfileViolation](err) || is[*MethodViolation](err) ||
		is[*DivergenceViolation](err) || is[*ClassViolation](err) || is[*exact.InconsistencyError](err)
}
