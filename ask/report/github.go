// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"strings"

	"dpverify/certify"
	"dpverify/internal/prose"
)

// GitHub writes workflow commands of GitHub Actions: an annotation at the line of
// each claim that is not as expected. REFUTED, MALFORMED and an unexpected VERIFIED
// or STATED are errors, UNDECIDED is a warning, a failure of the baseline is a notice. So
// is every other STATED.
func GitHub(fs []Finding) []byte {
	var b strings.Builder
	counts := make(map[certify.Verdict]int)
	for _, f := range fs {
		counts[f.Verdict]++
		level := "error"
		switch {
		case f.NothingVerified() || f.Known:
			level = "notice"
		case f.AsExpected:
			continue
		case f.open():
			level = "warning"
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", level, property(f.File), max(f.Line, 1),
			property(f.Name()), breaks.Replace(f.Message()))
	}
	fmt.Fprintf(&b, "%s: %s\n", prose.Many(len(fs), "claim", "claims"), certify.Tally(counts))
	return []byte(b.String())
}

// breaks escapes the message of a workflow command.
var breaks = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(breaks.Replace(printableButBreaks(s)))
}

// printableButBreaks is printable, but leaves line breaks, which property escapes.
func printableButBreaks(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\r' {
			b.WriteRune(r)
		} else {
			b.WriteString(printable(string(r)))
		}
	}
	return b.String()
}
