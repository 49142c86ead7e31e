// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"strings"
	"testing"

	"dpverify/certify"
)

func TestColours(t *testing.T) {
	for _, v := range []certify.Verdict{certify.Verified, certify.Refuted, certify.Undecided, certify.Malformed} {
		plain, coloured := style{}.verdict(v), style{color: true}.verdict(v)
		if len(plain) != len("UNDECIDED") || strings.Contains(plain, "\x1b") {
			t.Errorf("plain: %q", plain)
		}
		if !strings.HasPrefix(coloured, "\x1b[") || !strings.Contains(coloured, "\x1b[0m") {
			t.Errorf("coloured: %q", coloured)
		}
	}
	var b strings.Builder
	if newStyle(&b).color {
		t.Error("colours without a terminal")
	}
}

// What a file says cannot reach the terminal as a control sequence.
func TestNamesArePrintable(t *testing.T) {
	var b strings.Builder
	text := claimsText{w: &b, knows: func(*certify.Outcome) bool { return false }}
	o := &certify.Outcome{Claim: &certify.Claim{File: "a\x1b[2J.yaml", ID: "b\nVERIFIED"}, Verdict: certify.Undecided, Reason: "r"}
	if err := text.claim(o); err != nil {
		t.Fatal(err)
	}
	if err := text.summary(); err != nil {
		t.Fatal(err)
	}
	want := "\"a\\x1b[2J.yaml\"\nUNDECIDED  \"b\\nVERIFIED\"\n           r\n\n1 claim: 1 undecided; 1 not as expected: \"b\\nVERIFIED\"\n"
	if got := b.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
