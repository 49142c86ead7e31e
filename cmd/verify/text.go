package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// pageWidth is how wide text for people is.
const pageWidth = 80

// wrap breaks prose into lines of at most width characters, as far as its words are short
// enough: at blanks, but not at those of equations. Every line but the first begins with
// indent.
func wrap(text string, width int, indent string) []string {
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

// paragraph is prose that wrap has broken, with margin before every line.
func paragraph(margin, text string) string {
	var b strings.Builder
	for _, line := range wrap(text, pageWidth-utf8.RuneCountInString(margin), "  ") {
		b.WriteString(margin + line + "\n")
	}
	return b.String()
}

// member says that a number lies between lo and hi, for people.
func member(lo, hi string) string {
	if lo == hi {
		return "= " + readable(lo)
	}
	return "∈ [" + readable(lo) + ", " + readable(hi) + "]"
}

// readable writes a decimal that begins with many zeros in scientific notation.
func readable(s string) string {
	sign, rest := "", s
	if strings.HasPrefix(s, "-") {
		sign, rest = "-", s[1:]
	}
	digits, ok := strings.CutPrefix(rest, "0.000")
	if !ok {
		return s
	}
	trimmed := strings.TrimLeft(digits, "0")
	exp := -4 - (len(digits) - len(trimmed))
	if trimmed == "" || strings.ContainsAny(trimmed, "e") {
		return s
	}
	if len(trimmed) > 1 {
		trimmed = trimmed[:1] + "." + trimmed[1:]
	}
	return sign + trimmed + "e" + strconv.Itoa(exp)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
