// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"time"

	"dpverify/ask"
	"dpverify/exact"
)

// Options say how far to go. They are what an [ask.Goal] may cost: a claim is done when it is decided, and wants no
// digits.
type Options struct {
	// Fixed, when set, is the only rung of the ladder that is tried; otherwise the
	// effort rises from 0 until the claim is decided.
	Fixed *exact.Effort
	// Budget stops the climb; 0 means no limit. It never changes a verdict that
	// was reached, only whether one is.
	Budget time.Duration
	// MaxMemory bounds the bytes that one step of a method may take; 0 means no limit.
	MaxMemory int64
	// Sharp asks for δ as sharp as the effort gives it, also where it is far below the claimed one: a claim is
	// otherwise verified then by a bound of little cost.
	Sharp bool
	// DeltaOnly leaves out the least ε at the claimed δ, but where it is what decides.
	DeltaOnly bool
	// Memo is what the decisions about compositions of the same events share, or nil: see exact.Question.
	Memo *exact.Memo
}

// goal is what the options leave to a question that wants digits of a quantity, 0 for the usual ones.
func (o Options) goal(digits int) ask.Goal {
	return ask.Goal{Digits: digits, Fixed: o.Fixed, Budget: o.Budget, MaxMemory: o.MaxMemory}
}
