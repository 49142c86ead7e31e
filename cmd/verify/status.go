// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"strconv"

	"dpverify/certify"
)

// The exit statuses.
const (
	statusOK        = 0
	statusWrong     = 1 // a decided verdict that differs from the expected one, or REFUTED where nothing is expected
	statusFailed    = 2 // MALFORMED where it is not expected, or verify could not run
	statusUndecided = 3 // UNDECIDED where it is not expected, or an answer that says nothing
)

// A statusError ends a command with an exit status after it has said why.
type statusError int

func (s statusError) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// ended returns the error that ends a command with a status; nil for statusOK.
func ended(status int) error {
	return endedIf(status != statusOK, status)
}

// endedIf is ended where something is so; nil otherwise.
func endedIf(so bool, status int) error {
	if !so {
		return nil
	}
	return statusError(status)
}

// errInterrupted ends a command whose context was cancelled.
var errInterrupted = errors.New("interrupted")

// claimStatus returns the exit status of one outcome.
func claimStatus(o *certify.Outcome) int { return verdictStatus(o.Verdict, o.AsExpected()) }

// verdictStatus returns the exit status of a verdict.
func verdictStatus(v certify.Verdict, asExpected bool) int {
	switch {
	case asExpected || v == certify.Stated: // of which nothing was decided
		return statusOK
	case v == certify.Malformed:
		return statusFailed
	case v == certify.Undecided:
		return statusUndecided
	}
	return statusWrong
}

// worse returns the status that counts of two.
func worse(a, b int) int {
	for _, s := range []int{statusFailed, statusWrong, statusUndecided} {
		if a == s || b == s {
			return s
		}
	}
	return statusOK
}
