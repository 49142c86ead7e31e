// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"strconv"
	"unicode/utf16"
)

// unpairedSurrogate reports whether the source text of a valid JSON string
// escapes half of a surrogate pair. The json package turns such a half into
// U+FFFD, which would make different strings, and different keys, equal.
func unpairedSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			i++
			continue
		}
		r, ok := escapedUnit(raw[i:])
		switch {
		case !ok: // a two-byte escape such as \n or \\
			i += 2
		case !utf16.IsSurrogate(r):
			i += 6
		default:
			low, _ := escapedUnit(raw[i+6:])
			if utf16.DecodeRune(r, low) == '\uFFFD' {
				return true
			}
			i += 12
		}
	}
	return false
}

// escapedUnit returns the UTF-16 code unit of the escape \uXXXX that raw
// starts with, and whether it starts with one.
func escapedUnit(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(v), err == nil
}
