// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e ZCDP) encodeFields(w *encoder) {
	w.Number("rho", e.Rho)
	w.Number("xi", e.Xi)
}

// A smaller ρ or ξ is satisfied by fewer mechanisms, and the worst of fewer is
// no worse.
func decodeZCDP(r *reader) Event {
	return ZCDP{
		Rho: r.number("rho", number.NonNegative, lessPrivate),
		Xi:  r.numberOr("xi", number.NonNegative, lessPrivate, new(big.Rat)),
	}
}
