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
