// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// TruncatedGaussian is N(0, σ²) conditioned on [−Radius, Radius], and the same
// shifted by Sensitivity > 0.
type TruncatedGaussian struct {
	mirrored
	Sigma, Sensitivity, Radius *big.Rat
}

func (t TruncatedGaussian) String() string {
	return fmt.Sprintf("TruncatedGaussian(%s, %s, %s)", t.Sigma.RatString(), t.Sensitivity.RatString(),
		t.Radius.RatString())
}

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (t TruncatedGaussian) Reverse() Pair             { return t }
func (t TruncatedGaussian) infMass() (*big.Rat, bool) { return ratOne, t.disjoint() }
func (t TruncatedGaussian) reach() reach {
	// The loss s(s − 2x)/2σ² on [s − r, r] is largest at x = s − r.
	if t.disjoint() {
		return unknownReach()
	}
	l := new(big.Rat).Add(t.Radius, t.Radius)
	l.Sub(l, t.Sensitivity)
	l.Mul(l, t.Sensitivity)
	s2 := new(big.Rat).Mul(t.Sigma, t.Sigma)
	return upTo(RatLoss(l.Quo(l, s2.Add(s2, s2))))
}

// disjoint reports whether the supports meet at most in a point.
func (t TruncatedGaussian) disjoint() bool { return disjoint(t.Sensitivity, t.Radius) }

func disjoint(s, r *big.Rat) bool { return s.Cmp(new(big.Rat).Add(r, r)) >= 0 }
