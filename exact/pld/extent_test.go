// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// TestExtentsAreOfFiniteLosses: truncated noise has mass at losses of ±∞; grids are to
// cover the finite ones. 2^10 and 2^18 copies of §5.1 of Meiser & Mohammadi 2018; the
// latter has δ(1) in [0.6844418, 0.6844740] by privacy buckets.
func TestExtentsAreOfFiniteLosses(t *testing.T) {
	x := pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("200"), Sensitivity: rat("1"), Radius: rat("2500")}
	s := newSource(x, nil)
	if s == nil {
		t.Fatal("no source")
	}
	e := s.extent(t.Context(), 60)
	if e.lo.Cmp(rat("-1/100")) < 0 || e.hi.Cmp(rat("1/100")) > 0 {
		t.Errorf("losses from %s to %s, want about ±1/200", e.lo.RatString(), e.hi.RatString())
	}
	g, ok, err := NewGrid(ctx, pair.Product{{Pair: x, Count: 1 << 18}}, Settings{Points: 1 << 10, Prec: 123, Cut: 60, Limit: 1 << 16})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	y, err := g.Delta(ctx, 64, interval.RealRat(rat("1")))
	if err != nil || !meets(y, interval.Union(interval.Prec(64).Rat(rat("0.6844418")), interval.Prec(64).Rat(rat("0.6844740")))) ||
		y.LessEqRat(rat("0.7")) != interval.True || y.LessRat(rat("0.67")) != interval.False {
		t.Errorf("δ(1) = %s, %v", y, err)
	}
}
