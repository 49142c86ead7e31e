// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fourier

import (
	"context"

	"dpverify/float/value"
)

// A transform is the moment transform of one factor.
type transform interface {
	// log returns log M(γ) for γ < 0.
	log(gamma float64) value.Value
	// line returns the transform on Re s = γ; evaluations draw on the budget.
	line(gamma float64, b *budget) line
}

// A line is M on a vertical line, relative to M(γ).
type line interface {
	// at returns log(M(γ + iw)/M(γ)) with a bound of its error. If that is +Inf, the
	// real part bounds log|M(γ + iw)/M(γ)| from above, and that is all.
	at(w float64) (z complex128, err float64)
	// tail returns an upper bound of log|M(γ + iv)/M(γ)| over all v ≥ w. It need not
	// look for one below goal.
	tail(w, goal float64) float64
}

// A budget bounds the work of one δ, in evaluations of one exponential or so, and by a
// context. What runs out of it is answered by another method.
type budget struct {
	ctx  context.Context
	left int
}

const maxWork = 6 << 20

// spend reports whether n was left.
func (b *budget) spend(n int) bool {
	if b.ctx.Err() != nil {
		b.left = -1
	}
	b.left -= n
	return b.left >= 0
}
