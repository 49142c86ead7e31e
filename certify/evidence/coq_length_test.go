// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"strings"
	"testing"
)

// TestLongNumbers: 3000 digits on end are too many, 2999 are not, wherever they stand.
func TestLongNumbers(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, strings.Repeat("7", 2999): false, strings.Repeat("7", 3000): true,
		strings.Repeat("7", 2999) + "." + strings.Repeat("7", 2999): false, "x := " + strings.Repeat("0", 3001) + ".": true,
	} {
		if hasLongNumber([]byte(text)) != want {
			t.Errorf("%d characters: %t, want %t", len(text), !want, want)
		}
	}
}
