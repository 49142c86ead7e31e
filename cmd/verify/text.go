package main

import (
	"strconv"
	"strings"
)

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
