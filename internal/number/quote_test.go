// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import (
	"math/big"
	"testing"
)

// TestRoundUp: a number is rounded up to the digits of a text, and no number with these digits lies between.
func TestRoundUp(t *testing.T) {
	for _, c := range []struct{ written, x, want string }{
		{"1.13", "1.1328", "1.14"}, {"1.13", "1.13", "1.13"}, {"0.843", "4.7203634", "4.721"}, {"4", "4.0001", "5"}, {"1.10", "2", "2.00"},
		{"1e-5", "1.04e-5", "2e-5"}, {"4.08e-8", "0.12225", "0.123"}, {"0.00012", "0.000121", "1.3e-4"}, {"1e-5", "9.1e-6", "1e-5"},
		{"-1", "-0.5", "0"}, {"2e1", "19", "20"}, {"0.05", "0.051", "0.06"}, {"1.0e-5", "1.04e-5", "1.1e-5"},
	} {
		in, ok := WrittenIn(c.written)
		x, err := Parse(c.x)
		if err != nil || !ok {
			t.Fatal(c, err)
		}
		got := in.RoundUp(x)
		up, err := Parse(got)
		if got != c.want || err != nil || up.Cmp(x) < 0 || new(big.Rat).Sub(up, in.Unit(x)).Cmp(x) >= 0 {
			t.Errorf("%s in the digits of %s: %s, want %s", c.x, c.written, got, c.want)
		}
	}
	if _, ok := WrittenIn("1/3"); ok {
		t.Error("a fraction has digits")
	}
}
