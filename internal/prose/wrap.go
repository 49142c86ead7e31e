// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package prose writes for people: numbers, events, and paragraphs.
package prose

import (
	"strings"
	"unicode/utf8"
)

// PageWidth is how wide text for people is.
const PageWidth = 80

// Wrap breaks prose into lines of at most width characters, as far as its words are short
// enough: at blanks, but not at blanks of equations. Every line but the first begins with
// indent.
func Wrap(text string, width int, indent string) []string {
	var lines []string
	line, start := "", true
	for word := range strings.SplitSeq(strings.ReplaceAll(text, " = ", "\u00a0=\u00a0"), " ") {
		word = strings.ReplaceAll(word, "\u00a0", " ")
		switch {
		case start:
			line, start = line+word, false
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Paragraph is prose that wrap has broken, with margin before every line.
func Paragraph(margin, text string) string {
	var b strings.Builder
	for _, line := range Wrap(text, PageWidth-utf8.RuneCountInString(margin), "  ") {
		b.WriteString(margin + line + "\n")
	}
	return b.String()
}
