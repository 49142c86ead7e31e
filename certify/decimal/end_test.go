// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package decimal

import (
	"strings"
	"testing"
)

// TestEnds: printed ends are compared as the numbers that they are, beyond the exponents of
// numbers that are read.
func TestEnds(t *testing.T) {
	ordered := []string{"-inf", "-1e200000000", "-9e199999999", "-1e5", "-1e-300000000", "0", "1e-200000001", "9e-200000001", "1e-200000000",
		"1e-100000", "1/3", "0.4", "10", "9.9e99999999", "1e100000000", "inf"}
	for i, x := range ordered {
		for j, y := range ordered {
			a, err1 := ParseEnd(x)
			b, err2 := ParseEnd(y)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := a.Cmp(b); got != want {
				t.Errorf("%s against %s: %d, want %d", x, y, got, want)
			}
		}
	}
	for _, s := range []string{"", "banana", "nan", "1e", "1e5e5", "1/3e999999", "1e99999999999", "--1", "+inf", "∞"} {
		if x, err := ParseEnd(s); err == nil {
			t.Errorf("%q is read as %v", s, x)
		}
	}
	if _, err := ParseEnds("0", "x"); err == nil || !strings.Contains(err.Error(), `hi = "x"`) {
		t.Error(err)
	}
}
