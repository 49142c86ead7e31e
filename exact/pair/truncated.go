// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/mechanism"
)

// The noise that is truncated or clamped.
const (
	LaplaceNoise  = mechanism.LaplaceNoise
	GaussianNoise = mechanism.GaussianNoise
)

// Truncated is noise conditioned on [−Radius, Radius], and the same shifted by Sensitivity > 0.
type Truncated struct {
	mirrored
	Noise                      mechanism.Noise
	Width, Sensitivity, Radius *big.Rat
}

func (t Truncated) String() string {
	return fmt.Sprintf("Truncated%s(%s, %s, %s)", t.Noise, t.Width.RatString(), t.Sensitivity.RatString(),
		t.Radius.RatString())
}

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (t Truncated) Reverse() Pair             { return t }
func (t Truncated) infMass() (*big.Rat, bool) { return ratOne, t.Disjoint() }
func (t Truncated) reach() reach {
	// The loss on [s − r, r] is greatest at x = s − r: (|x − s| − |x|)/b, or s(s − 2x)/2σ².
	if t.Disjoint() {
		return unknownReach()
	}
	l := new(big.Rat).Add(t.Radius, t.Radius)
	l.Sub(l, t.Sensitivity)
	if t.Noise == GaussianNoise {
		return upTo(RatLoss(halfOver(l.Mul(l, t.Sensitivity), t.Width)))
	}
	if l.Cmp(t.Sensitivity) > 0 {
		l.Set(t.Sensitivity)
	}
	return upTo(RatLoss(l.Quo(l, t.Width)))
}

// Disjoint reports whether the supports meet at most in a point.
func (t Truncated) Disjoint() bool {
	return t.Sensitivity.Cmp(new(big.Rat).Add(t.Radius, t.Radius)) >= 0
}

// halfOver returns x/2σ².
func halfOver(x, sigma *big.Rat) *big.Rat {
	s2 := new(big.Rat).Mul(sigma, sigma)
	return new(big.Rat).Quo(x, s2.Add(s2, s2))
}
