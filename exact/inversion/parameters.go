// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"

	"dpverify/exact/interval"
)

// parameters are those of a line. They decide how narrow its enclosures are.
// Whatever they are, if valid, the bounds hold; so they are chosen in float64.
type parameters struct {
	lambda, kappa *big.Rat      // λ and κ > λ, where M(−κ) bounds the terms m > 0
	period        *big.Rat      // T
	tail          float64       // |M| is to fall to e^−tail·M(−λ)
	far           int           // from the index far on, decays show that it has
	prec          interval.Prec // working precision
	segments      []float64     // the ends of segments of t on which |M| is bounded
	decays        []decay       // the bounds
	taper         *taper        // or what cuts the sum off where |M| has not fallen
}

// ordered reports whether 0 < λ < κ.
func (c parameters) ordered() bool { return c.lambda.Sign() > 0 && c.kappa.Cmp(c.lambda) > 0 }

// step encloses h = 2π/T.
func (c parameters) step(p interval.Prec) interval.Interval {
	return p.Div(p.Scale(p.Pi(), 1), p.Rat(c.period))
}

// Limits on what a line may cost.
const (
	maxTerms   = 1 << 16 // values of M
	maxWorking = 1 << 15 // bits
	// maxReversedWorking is for pairs (1, C), whose λ may be as large as δ is tiny: there a cheap bound suffices, but to
	// whom more than half of these bits are wanted.
	maxReversedWorking = 1 << 11
)

// guard is the number of bits below the asked width to which each error is reduced.
const guard = 8
