// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"errors"
	"strconv"

	"dpverify/certify"
)

// The exit statuses.
const (
	StatusOK        = 0
	StatusWrong     = 1 // a decided verdict that differs from the expected one, or REFUTED where nothing is expected
	StatusFailed    = 2 // MALFORMED where it is not expected, or verify could not run
	StatusUndecided = 3 // UNDECIDED where it is not expected, or an answer that says nothing
)

// A StatusError ends a command with an exit status after it has said why.
type StatusError int

func (s StatusError) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// Ended returns the error that ends a command with a status; nil for statusOK.
func Ended(status int) error {
	return EndedIf(status != StatusOK, status)
}

// EndedIf is ended where something is so; nil otherwise.
func EndedIf(so bool, status int) error {
	if !so {
		return nil
	}
	return StatusError(status)
}

// ErrInterrupted ends a command whose context was cancelled.
var ErrInterrupted = errors.New("interrupted")

// ClaimStatus returns the exit status of one outcome.
func ClaimStatus(o *certify.Outcome) int {
	return ReportStatus(o.Verdict, o.AsExpected(), o.Fits())
}

// ReportStatus is VerdictStatus, or worse where a measurement does not fit.
func ReportStatus(v certify.Verdict, asExpected, fits bool) int {
	status := VerdictStatus(v, asExpected)
	if !fits {
		status = Worse(status, StatusWrong)
	}
	return status
}

// VerdictStatus returns the exit status of a verdict.
func VerdictStatus(v certify.Verdict, asExpected bool) int {
	switch {
	case asExpected || v == certify.Stated: // of which nothing was decided
		return StatusOK
	case v == certify.Malformed:
		return StatusFailed
	case v == certify.Undecided:
		return StatusUndecided
	}
	return StatusWrong
}

// Worse returns the status that counts of two.
func Worse(a, b int) int {
	for _, s := range []int{StatusFailed, StatusWrong, StatusUndecided} {
		if a == s || b == s {
			return s
		}
	}
	return StatusOK
}
