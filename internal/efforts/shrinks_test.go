// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"math/big"
	"testing"

	"dpverify/exact"
	"dpverify/exact/interval"
)

func TestShrinks(t *testing.T) {
	span := func(lo, hi float64) exact.Enclosure {
		return exact.Enclosure{Interval: interval.Bounds(big.NewFloat(lo), big.NewFloat(hi))}
	}
	inf := exact.Enclosure{Interval: interval.Entire()}
	for _, c := range []struct {
		before, after exact.Enclosure
		want          bool
	}{
		{span(0, 1), span(0, 0.5), true},
		{span(0, 1), span(0, 0.95), false},
		{span(0, 1), span(0, 1), false},
		{span(0, 1), span(0.25, 0.75), true},
		{inf, span(0, 1), true},
		{inf, inf, false},
	} {
		if got := Shrinks(c.before, c.after); got != c.want {
			t.Errorf("Shrinks(%v, %v) = %v", c.before, c.after, got)
		}
	}
}
