// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package masses

import (
	"math/big"
	"testing"

	"dpverify/internal/testkit"
)

var rat = testkit.Rat

// TestNumbersOutOfReach: e^x that is too long to be written has bounds, and δ what the second data set never shows.
func TestNumbersOutOfReach(t *testing.T) {
	if lo, hi := ExpRat(rat("1000000")); hi != nil || lo.Cmp(rat("1e300")) < 0 {
		t.Error("e^1000000 has an upper bound, or too low a lower one")
	}
	if lo, hi := ExpRat(rat("-1000000")); lo.Sign() != 0 || hi.Sign() <= 0 || hi.Cmp(rat("1e-300")) > 0 {
		t.Error("e^−1000000 is not between 0 and little more")
	}
	p := Pair{Exactly([]*big.Rat{rat("1/4"), rat("3/4")}), Exactly([]*big.Rat{rat("0"), rat("1")})}
	if got := p.DeltaAtLeast(rat("1000000")); got.Cmp(rat("1/4")) != 0 {
		t.Errorf("δ(1000000) ≥ %v, want 1/4", got)
	}
}
