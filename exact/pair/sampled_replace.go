// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// SampledReplaceGaussian is ((1−q)N(0,1) + qN(μ,1), (1−q)N(0,1) + qN(−μ,1)), q =
// Rate, μ² = Mu2.
type SampledReplaceGaussian struct {
	mirrored
	Rate, Mu2 *big.Rat
}

func (s SampledReplaceGaussian) String() string {
	return fmt.Sprintf("SampledReplaceGaussian(%s, μ²=%s)", s.Rate.RatString(), s.Mu2.RatString())
}

// Reverse is the pair itself: x ↦ −x exchanges P and Q.
func (s SampledReplaceGaussian) Reverse() Pair           { return s }
func (SampledReplaceGaussian) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (SampledReplaceGaussian) reach() reach              { return endless() }
