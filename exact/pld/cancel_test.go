// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestEndsOfTimeAreErrors: wherever time ends while a grid of allocations is made, that is the error.
func TestEndsOfTimeAreErrors(t *testing.T) {
	base := pair.Gaussian{Mu2: big.NewRat(1, 4)}
	for _, x := range []pair.Pair{
		pair.Allocation{Base: base, Selected: 1, Steps: 4}, pair.Allocation{Base: base, Selected: 2, Steps: 4},
	} {
		set := Settings{Points: 64, Prec: 61, Cut: 20, Limit: 1 << 12}
		ended := 0
		for left := 0; left < 40; left++ {
			ctx := &testkit.Countdown{Context: t.Context(), Left: left}
			g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: 2}}, set)
			switch {
			case errors.Is(err, context.Canceled):
				ended++
			case err != nil || !ok || g == nil:
				t.Errorf("%s, time for %d polls: %v, %v", x, left, ok, err)
			}
		}
		if ended == 0 {
			t.Errorf("%s: no poll of the time", x)
		}
	}
}

// TestAllocationsBeyondFloat64: where no mass of what is known of an allocation is a positive float64, there is no grid.
func TestAllocationsBeyondFloat64(t *testing.T) {
	x := pair.Allocation{Base: pair.Gaussian{Mu2: big.NewRat(400, 1)}, Selected: 2, Steps: 10}
	set := Settings{Points: 64, Prec: 61, Cut: 20, Limit: 1 << 12}
	if g, ok, err := NewGrid(t.Context(), pair.Product{{Pair: x, Count: 2}}, set); g != nil || ok || err != nil {
		t.Errorf("%v, %v, %v, want no grid", g, ok, err)
	}
}
