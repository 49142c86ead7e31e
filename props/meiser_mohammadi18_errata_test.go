// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"testing"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Meiser & Mohammadi 2018, §7, takes max(0, Lap(µ)) against max(0, Lap(µ + t)), which is a
// post-processing of Laplace noise, for a mechanism that adds t to the clamped noise:
// with µ = 20, scale 4, t = 2 the printed pair has δ(t/b) = 0, the mechanism
// P(X < t) = e^((t−µ)/b)/2 = 0.0055.
func TestErratumClampedNoise(t *testing.T) {
	e := mechanism.Clamped{Location: rat("20"), Width: rat("4"), Shift: two, Order: mechanism.ShiftThenClamp}
	printed, err := frontDoor(e, mechanism.Remove, mechanism.AddOrRemoveOne, half)
	if err != nil {
		t.Fatal(err)
	}
	e.Order = mechanism.ClampThenShift
	real, err := frontDoor(e, mechanism.Remove, mechanism.AddOrRemoveOne, half)
	if err != nil {
		t.Fatal(err)
	}
	if printed.LessRat(rat("1e-15")) != interval.True {
		t.Errorf("printed pair %s", printed)
	}
	const w = cellBits
	if want := w.Scale(w.Exp(w.Rat(rat("-9/2"))), -1); want.Less(real) != interval.Unknown {
		t.Errorf("the mechanism has δ(1/2) = %s, want %s", real, want)
	}
}
