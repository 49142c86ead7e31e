// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"strings"
	"testing"

	"dpverify/certify"
	"dpverify/internal/terminal"
)

// TestVerdictsAreOfOneLength: the columns of the text stand below each other.
func TestVerdictsAreOfOneLength(t *testing.T) {
	for _, v := range []certify.Verdict{certify.Verified, certify.Refuted, certify.Undecided, certify.Malformed} {
		plain := verdict(terminal.Style{}, v)
		if len(plain) != len("UNDECIDED") || strings.Contains(plain, "\x1b") {
			t.Errorf("plain: %q", plain)
		}
	}
}

// What a file says cannot reach the terminal as a control sequence.
func TestNamesArePrintable(t *testing.T) {
	var b strings.Builder
	text := ClaimsText{W: &b}
	o := &certify.Outcome{Claim: &certify.Claim{File: "a\x1b[2J.yaml", ID: "b\nVERIFIED"}, Verdict: certify.Undecided, Reason: "r"}
	if err := text.Claim(o); err != nil {
		t.Fatal(err)
	}
	if err := text.Summary(); err != nil {
		t.Fatal(err)
	}
	want := "\"a\\x1b[2J.yaml\"\nUNDECIDED  \"b\\nVERIFIED\"\n           r\n\n1 claim: 1 undecided; 1 not as expected: \"b\\nVERIFIED\"\n"
	if got := b.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
