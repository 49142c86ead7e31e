// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"dpverify/float/pair"
	"dpverify/float/value"
)

// Moments is log M(γ) = log E_P[e^(−γL); L < ∞] of a product, for γ < 0.
type Moments func(gamma float64) value.Value

// MomentsOf returns the moments of a product and its mass of infinite loss; false if a
// factor has no transform here, or one of more atoms than are listed: the far ones may
// count for much in a moment.
func MomentsOf(p pair.Product) (m Moments, inf value.Value, ok bool) {
	a, _, ok := terms(p)
	if !ok || a.rest > 0 {
		return nil, value.Value{}, false
	}
	return func(gamma float64) value.Value { return a.exponent(gamma, value.Value{}) }, a.inf, true
}
