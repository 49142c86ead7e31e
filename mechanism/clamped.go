// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
)

// ClampedLaplace is Laplace noise clamped to be non-negative, the noise of the
// Vuvuzela messaging system. With X = Lap(location, scale) and s the shift,
//
//	ClampThenShift (as deployed):             P = max(0, X), Q = s + max(0, X)
//	ShiftThenClamp (as printed in the paper): P = max(0, X), Q = max(0, s + X)
type ClampedLaplace struct {
	Location *big.Rat
	Scale    *big.Rat // > 0
	Shift    *big.Rat // >= 0; 0: equal distributions
	Order    ClampOrder
}

func (ClampedLaplace) ClassName() string              { return "ClampedLaplaceEvent" }
func (e ClampedLaplace) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ClampedLaplace) encodeFields(w *encoder) {
	w.clamped(e.Location, "scale", e.Scale, e.Shift, e.Order)
}

func decodeClampedLaplace(r *reader) Event {
	var e ClampedLaplace
	e.Location, e.Scale, e.Shift, e.Order = r.clamped("scale")
	return e
}

// clamped writes the fields of clamped noise, of which one has a name of its own.
func (w *encoder) clamped(location *big.Rat, name string, width, shift *big.Rat, order ClampOrder) {
	w.Number("location", location)
	w.Number(name, width)
	w.Number("shift", shift)
	w.Text("order", order.String())
}

// clamped reads these fields.
func (r *reader) clamped(name string) (location, width, shift *big.Rat, order ClampOrder) {
	location = r.number("location", number.Any, unproved)
	width = r.number(name, number.Positive, unproved)
	shift = r.number("shift", number.NonNegative, unproved)
	return location, width, shift, r.clampOrder("order")
}

// A ClampOrder says whether the secret shift happens before or after clamping.
type ClampOrder int

const (
	ClampThenShift ClampOrder = iota
	ShiftThenClamp
)

// String returns the order as it is written in an event.
func (o ClampOrder) String() string {
	switch o {
	case ClampThenShift:
		return "clamp-then-shift"
	case ShiftThenClamp:
		return "shift-then-clamp"
	}
	return "unknown order"
}

func (r *reader) clampOrder(field string) ClampOrder {
	return word(r, field, "clamp-then-shift or shift-then-clamp", ClampThenShift, ShiftThenClamp)
}
