// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import "strings"

// LastPlace returns the exponent of the last digit of a decimal: −2 for 7.10, 3 for 12e3. It
// reports false for a fraction.
func LastPlace(written string) (int, bool) {
	mantissa, exp, scientific := strings.Cut(strings.ToLower(strings.TrimSpace(written)), "e")
	if strings.Contains(written, "/") {
		return 0, false
	}
	place := 0
	if _, after, ok := strings.Cut(mantissa, "."); ok {
		place = -len(after)
	}
	if scientific {
		e, err := Parse(exp)
		if err != nil || !e.IsInt() || !e.Num().IsInt64() {
			return 0, false
		}
		place += int(e.Num().Int64())
	}
	return place, true
}
