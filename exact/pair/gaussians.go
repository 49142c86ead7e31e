// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/mechanism"
)

// Gaussians is N(0, SigmaP²) against N(Shift, SigmaQ²), of unequal variances. A pair the other way round is again one,
// by a reflection.
type Gaussians struct {
	unlisted
	SigmaP, SigmaQ, Shift *big.Rat
}

// NewGaussians: of equal variances it is the pair of Gaussian noise.
func NewGaussians(e mechanism.GaussianPair) Pair {
	if e.SigmaP.Cmp(e.SigmaQ) == 0 {
		mu := new(big.Rat).Quo(e.Shift, e.SigmaP)
		return Gaussian{Mu2: mu.Mul(mu, mu)}
	}
	return Gaussians{SigmaP: e.SigmaP, SigmaQ: e.SigmaQ, Shift: e.Shift}
}

func (g Gaussians) String() string {
	return fmt.Sprintf("Gaussians(%s, %s, %s)", g.SigmaP.RatString(), g.SigmaQ.RatString(), g.Shift.RatString())
}

// Reverse: x ↦ Shift − x turns (Q, P) into N(0, SigmaQ²) against N(Shift, SigmaP²).
func (g Gaussians) Reverse() Pair {
	return Gaussians{SigmaP: g.SigmaQ, SigmaQ: g.SigmaP, Shift: g.Shift}
}

func (Gaussians) SelfDual() bool              { return false }
func (g Gaussians) isReversed() bool          { return g.SigmaP.Cmp(g.SigmaQ) < 0 }
func (g Gaussians) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: the loss at x is log(σ_Q/σ_P) + (x − s)²/2σ_Q² − x²/2σ_P². Its square term is positive, and the loss without
// bound above, where P is the wider one; otherwise the top has a logarithm.
func (g Gaussians) reach() reach {
	if g.SigmaP.Cmp(g.SigmaQ) > 0 {
		return endless()
	}
	return unknownReach()
}
