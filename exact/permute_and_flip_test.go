// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestPermuteAndFlipIsBelowLaplace: what compositions of its choices between two candidates attain
// is not above composed Laplace noise, and more than one release attains.
func TestPermuteAndFlipIsBelowLaplace(t *testing.T) {
	copies := func(e mechanism.Event) Question {
		return Question{Event: mechanism.SelfComposed{Event: e, Count: 12}}
	}
	flip, err := Delta(t.Context(), copies(mechanism.PermuteAndFlip{Epsilon: rat("1/2")}), rat("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	noise, err := Delta(t.Context(), copies(mechanism.Laplace{NoiseMultiplier: rat("2")}), rat("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if flip.Lo().Cmp(noise.Hi()) > 0 || interval.Point(flip.Lo()).LessRat(rat("1/10")) == interval.True {
		t.Errorf("δ(1) ∈ %s, of Laplace noise ∈ %s", flip.Interval, noise.Interval)
	}
}
