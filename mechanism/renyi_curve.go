// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// RenyiCurve is a guarantee: it stands for the worst mechanism with Rényi
// divergence R_α(P‖Q) ≤ v at each listed order α with its value v, in both
// orientations and for all neighbours under the relation asked.
type RenyiCurve struct {
	Orders []*big.Rat // > 0, strictly increasing, at least one
	Values []*big.Rat // ≥ 0, in nats, as many
}

func (RenyiCurve) ClassName() string              { return "RenyiCurveEvent" }
func (e RenyiCurve) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e RenyiCurve) describe() description {
	return description{
		value:   &e,
		about:   "The worst mechanism with the given upper bounds of its Renyi divergence.",
		bound:   "worst case of the guarantee: above by conversion, below by mechanisms that satisfy it; a gap remains",
		example: `"orders":["2","8"],"values":["0.5","2"]`,
		sentence: say("known by its guarantee only: its Rényi divergences are at most those listed, at %s",
			field.Elements(e.Orders, "order")),
		fields: []field.Field{
			// A smaller value is satisfied by fewer mechanisms, and the worst of fewer is
			// no worse.
			field.Positive(1.5, 32).Numbers("orders", &e.Orders, field.Unproved).Means("Strictly increasing."),
			field.NonNegative(0.001, 0.5).Numbers("values", &e.Values, field.LessPrivate).Means("In nats, as many as orders."),
			field.Increasing("orders", &e.Orders),
			field.SameLength("orders", &e.Orders, "values", &e.Values),
		},
	}
}
