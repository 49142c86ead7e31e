// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// ZCDP is a guarantee: it stands for the worst mechanism that is (ξ, ρ)-zero-
// concentrated differentially private, that is R_α(P‖Q) ≤ ξ + ρα for every
// α > 1, in both orientations and for all neighbours under the relation asked.
type ZCDP struct {
	Rho *big.Rat // ρ ≥ 0, in nats
	Xi  *big.Rat // ξ ≥ 0, in nats
}

func (ZCDP) ClassName() string              { return "ZCDpEvent" }
func (e ZCDP) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ZCDP) describe() description {
	guarantee := say("known by its guarantee only: it is zero-concentrated differentially private with ρ = %s", e.Rho)
	if e.Xi != nil && e.Xi.Sign() != 0 {
		guarantee = say("%s and ξ = %s", guarantee, e.Xi)
	}
	return description{
		value:    &e,
		about:    "The worst mechanism with Renyi divergence at most xi + rho alpha at every order alpha > 1.",
		bound:    "worst case of the guarantee: above by conversion, below by mechanisms that satisfy it; a gap remains",
		example:  `"rho":"0.5"`,
		sentence: guarantee,
		fields: []field.Field{
			// A smaller ρ or ξ is satisfied by fewer mechanisms, and the worst of fewer is
			// no worse.
			field.NonNegative(0.0001, 1).Number("rho", &e.Rho, field.LessPrivate),
			field.NonNegative(0.0001, 0.01).OrZero().Number("xi", &e.Xi, field.LessPrivate).
				Or(func() { e.Xi = new(big.Rat) }).Means("0 if it is left out."),
		},
	}
}
