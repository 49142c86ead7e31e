// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"regexp"
	"sync"
)

// escapes matches an escape of a JSON string: a pair of surrogates, half of one, or the first two bytes of another.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|(u[dD][89a-fA-F])|.)`)
})

// unpairedSurrogate reports whether the source text of a valid JSON string
// escapes half of a surrogate pair. The json package turns such a half into
// U+FFFD, which would make different strings, and different keys, equal.
func unpairedSurrogate(raw []byte) bool {
	for _, m := range escapes().FindAllSubmatchIndex(raw, -1) {
		if m[2] >= 0 {
			return true
		}
	}
	return false
}
