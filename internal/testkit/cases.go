// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package testkit

import (
	"os"
	"testing"
)

// Long says whether the tests that take long are wanted, too.
func Long() bool { return os.Getenv("DPVERIFY_LONG") != "" }

// Cases returns how many cases a test tries: the usual number, or the one for DPVERIFY_LONG; an eighth
// of the usual one in the short suite, which is there for the race detector, and at least one.
func Cases(usual, long int) int {
	switch {
	case Long():
		return long
	case testing.Short():
		return max(1, usual/8)
	}
	return usual
}

// SkipShort leaves a test of much arithmetic in one goroutine to the whole suite. Shorter tests of the same
// functions stay in the short one, for the race detector.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
}
