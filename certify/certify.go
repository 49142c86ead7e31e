// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package certify decides claims about privacy: it reads them from files, asks the
// exact engine with rising effort until the enclosure of δ separates from the
// claimed one, and says VERIFIED, REFUTED or UNDECIDED. A claim that its event merely repeats is
// STATED: nothing was verified.
package certify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/show"
)

// A Verdict answers whether a claim is true.
type Verdict string

// The verdicts. Refuted, for an event that is a guarantee, means that the
// guarantee does not imply the claim.
const (
	Verified  Verdict = "verified"
	Refuted   Verdict = "refuted"
	Undecided Verdict = "undecided"
	Malformed Verdict = "malformed"
	// Stated: the event merely repeats the claim, so nothing was verified.
	Stated Verdict = "stated"
)

// verdicts are all of them, in the order in which they are counted.
var verdicts = []Verdict{Verified, Refuted, Undecided, Malformed, Stated}

// Tally writes how many claims have each verdict: "3 verified, 1 refuted".
func Tally(counts map[Verdict]int) string {
	var parts []string
	for _, v := range verdicts {
		if n := counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

const wantVerdict = "verified, refuted, undecided, malformed or stated"

// parseVerdict reads a verdict as claims files write it.
func parseVerdict(s string) (Verdict, error) {
	if v := Verdict(s); slices.Contains(verdicts, v) {
		return v, nil
	}
	return "", fmt.Errorf("certify: verdict = %s, want %s", show.Value(s), wantVerdict)
}

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

// A ClaimError says what is wrong with a claim or a claims file.
type ClaimError struct {
	File  string
	Line  int
	Claim string // id, if known
	Err   error  // a *document.FieldError, or one of package mechanism
}

func (e *ClaimError) Error() string {
	s := ""
	if e.File != "" {
		s = show.Name(e.File) + ":"
		if e.Line > 0 {
			s += fmt.Sprintf("%d:", e.Line)
		}
		s += " "
	}
	if e.Claim != "" {
		s += "claim " + show.Name(show.Cut(e.Claim)) + ": "
	}
	return s + e.Err.Error()
}

// Unwrap returns the nested error.
func (e *ClaimError) Unwrap() error { return e.Err }

// ErrorLine is the line of the claim or of its field, 0 if it is unknown.
func (e *ClaimError) ErrorLine() int { return e.Line }
