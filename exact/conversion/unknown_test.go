// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// TestUnknownBounds: where the moments, the mass of infinite loss or ε are not known, nothing is said.
func TestUnknownBounds(t *testing.T) {
	const p = interval.Prec(64)
	disjoint := pair.Truncated{Noise: pair.GaussianNoise, Width: rat("1"), Sensitivity: rat("5"), Radius: rat("2")}
	for _, prod := range []pair.Product{
		once(disjoint), once(pair.Truncated{Noise: pair.LaplaceNoise, Width: rat("1"), Sensitivity: rat("5"), Radius: rat("2")}),
	} {
		if y := accountant(t, prod).Epsilon(p, p.Rat(rat("1/10")), DefaultOrders()); !y.Lo().IsInf() {
			t.Errorf("%s: ε ≤ %s", prod, y)
		}
	}
	f, ok := Bound(once(pair.Laplace{Shift: rat("1")}))
	if !ok {
		t.Fatal("no bound")
	}
	y, err := f(context.Background(), p, func(interval.Prec) interval.Interval { return interval.Entire() })
	if err != nil || !y.Encloses(profile.Unit()) {
		t.Errorf("δ(?) ∈ %s, %v", y, err)
	}
	// For α < 1, profiles that are only known to lie in [0, 1] leave M ≥ 0.
	unit := func(context.Context, interval.Prec, interval.Real) (interval.Interval, error) {
		return profile.Unit(), nil
	}
	y, err = FromProfile(context.Background(), p, unit, unit, rat("1/2"), rat("1"), 1)
	if err != nil || !y.Encloses(unknown) {
		t.Errorf("R_{1/2} ∈ %s, %v", y, err)
	}
}
