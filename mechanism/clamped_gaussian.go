// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"
)

// ClampedGaussian is Gaussian noise clamped to be non-negative. With X = N(location, σ²) and s the
// shift,
//
//	ClampThenShift: P = max(0, X), Q = s + max(0, X)
//	ShiftThenClamp: P = max(0, X), Q = max(0, s + X)
type ClampedGaussian struct {
	Location *big.Rat
	Sigma    *big.Rat // σ > 0
	Shift    *big.Rat // >= 0; 0: equal distributions
	Order    ClampOrder
}

func (ClampedGaussian) ClassName() string              { return "ClampedGaussianEvent" }
func (e ClampedGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ClampedGaussian) describe() description {
	return description{
		value:   &e,
		about:   "Gaussian noise clamped to be non-negative, before or after the shift that it hides.",
		bound:   "closed form",
		example: `"location":"10","sigma":"4","shift":"2","order":"clamp-then-shift"`,
		sentence: say("an answer with Gaussian noise of standard deviation %s around %s, moved by at most %s %s",
			e.Sigma, e.Location, e.Shift, e.Order.clamped()),
		fields: clamped(&e.Location, "sigma", &e.Sigma, &e.Shift, &e.Order),
	}
}
