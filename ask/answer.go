// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"errors"
	"slices"

	"dpverify/exact"
	"dpverify/internal/number"
)

// An Answer is what a climb reached.
type Answer struct {
	exact.Result
	// Lacking is why the answer is not as accurate as it was wanted; nil if it is. A
	// *efforts.MemoryError is in it where a method was left out.
	Lacking error
	// Found says that the answer is better than what is known about every event.
	Found bool
	// Computed says that a rung answered, and not a first draft or nothing.
	Computed bool

	ended bool // more effort would not help
}

// Complete reports that the answer is as accurate as it was wanted.
func (a Answer) Complete() bool { return a.Lacking == nil }

// Reason is why the answer is not as accurate as it was wanted; empty if it is.
func (a Answer) Reason() string {
	if a.Complete() {
		return ""
	}
	return a.Lacking.Error()
}

// closed reports that no further rung is needed.
func (a Answer) closed() bool { return a.Complete() || a.ended }

// finish sets Found.
func (a *Answer) finish(q Quantity) {
	a.Found = a.Complete() || a.Value != nil || q.trivial.isBetter(a.Interval)
}

// What an answer may lack.
var (
	// ErrNotTight: more effort would not help.
	ErrNotTight = errors.New("no method of this version bounds the event tightly from both sides")

	errSlow        = errors.New("so many digits would take very long; --effort narrows it a little")
	errNothing     = errors.New("nothing was computed in time")
	errInterrupted = errors.New("interrupted")
	errRounded     = errors.New("the probabilities are known up to rounding only")
	errApart       = errors.New("what is given does not determine it")
)

// hull returns an answer that holds for two events and all between them.
func (a Answer) hull(b Answer, digits int, q Quantity) Answer {
	both := a
	both.Enclosure = a.Union(b.Enclosure)
	both.Methods = slices.Clone(a.Methods)
	for _, m := range b.Methods {
		if !slices.Contains(both.Methods, m) {
			both.Methods = append(both.Methods, m)
		}
	}
	both.Effort = max(a.Effort, b.Effort)
	both.Refused = slices.Concat(a.Refused, b.Refused)
	both.Computed, both.ended = a.Computed && b.Computed, a.ended && b.ended
	switch {
	case q.settled(both.Enclosure, digits):
		both.Lacking = nil
	case !a.Complete():
		both.Lacking = a.Lacking
	case !b.Complete():
		both.Lacking = b.Lacking
	default:
		both.Lacking = errRounded
	}
	both.finish(q)
	return both
}

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
