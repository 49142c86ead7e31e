// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e RenyiCurve) encodeFields(w *encoder) {
	w.Numbers("orders", e.Orders)
	w.Numbers("values", e.Values)
}

// A smaller value is satisfied by fewer mechanisms, and the worst of fewer is
// no worse.
func decodeRenyiCurve(r *reader) Event {
	e := RenyiCurve{
		Orders: r.numbers("orders", number.Positive, unproved),
		Values: r.numbers("values", number.NonNegative, lessPrivate),
	}
	r.increasing("orders", e.Orders)
	r.sameLength("orders", "values")
	return e
}

// increasing demands that the numbers of a list are strictly increasing.
func (r *reader) increasing(field string, xs []*big.Rat) {
	for i := 1; i < len(xs) && r.Err == nil; i++ {
		if xs[i].Cmp(xs[i-1]) <= 0 {
			r.Err = r.Invalid(index(field, i), r.Node.Get(field).Items[i], "more than "+index(field, i-1))
		}
	}
}
