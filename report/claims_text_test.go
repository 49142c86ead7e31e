// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"strings"
	"testing"

	"dpverify/certify"
	"dpverify/internal/terminal"
)

func TestColours(t *testing.T) {
	for _, v := range []certify.Verdict{certify.Verified, certify.Refuted, certify.Undecided, certify.Malformed} {
		plain, coloured := verdict(terminal.Style{}, v), verdict(terminal.Coloured(), v)
		if len(plain) != len("UNDECIDED") || strings.Contains(plain, "\x1b") {
			t.Errorf("plain: %q", plain)
		}
		if !strings.HasPrefix(coloured, "\x1b[") || !strings.Contains(coloured, "\x1b[0m") {
			t.Errorf("coloured: %q", coloured)
		}
	}
	var b strings.Builder
	if terminal.NewStyle(&b) != (terminal.Style{}) {
		t.Error("colours without a terminal")
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
