// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// TruncatedLaplace is Lap(0, Scale) conditioned on [−Radius, Radius], and the
// same shifted by Sensitivity > 0.
type TruncatedLaplace struct {
	mirrored
	Scale, Sensitivity, Radius *big.Rat
}

func (t TruncatedLaplace) String() string {
	return fmt.Sprintf("TruncatedLaplace(%s, %s, %s)", t.Scale.RatString(), t.Sensitivity.RatString(),
		t.Radius.RatString())
}

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (t TruncatedLaplace) Reverse() Pair             { return t }
func (t TruncatedLaplace) infMass() (*big.Rat, bool) { return ratOne, t.disjoint() }
func (t TruncatedLaplace) reach() reach {
	// The loss (|x − s| − |x|)/b falls from min(s, 2r − s)/b at x = s − r.
	if t.disjoint() {
		return unknownReach()
	}
	l := new(big.Rat).Add(t.Radius, t.Radius)
	l.Sub(l, t.Sensitivity)
	if l.Cmp(t.Sensitivity) > 0 {
		l.Set(t.Sensitivity)
	}
	return upTo(RatLoss(l.Quo(l, t.Scale)))
}

// disjoint reports whether the supports meet at most in a point.
func (t TruncatedLaplace) disjoint() bool { return disjoint(t.Sensitivity, t.Radius) }
