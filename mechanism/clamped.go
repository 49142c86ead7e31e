// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
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

func (e ClampedLaplace) describe() description {
	return description{
		value:   &e,
		about:   "Laplace noise clamped to be non-negative, before or after the shift that it hides.",
		bound:   "closed form",
		example: `"location":"20","scale":"4","shift":"2","order":"clamp-then-shift"`,
		sentence: say("an answer with Laplace noise of scale %s around %s, moved by at most %s %s",
			e.Scale, e.Location, e.Shift, e.Order.clamped()),
		fields: clamped(&e.Location, "scale", &e.Scale, &e.Shift, &e.Order),
	}
}

// clamped are the fields of clamped noise, of which one has a name of its own.
func clamped(location **big.Rat, name string, width, shift **big.Rat, order *ClampOrder) []field.Field {
	return []field.Field{
		field.Real(5, 50).Number("location", location, field.Unproved),
		field.Positive(0.5, 5).Number(name, width, field.Unproved),
		field.NonNegative(1, 1).Number("shift", shift, field.Unproved),
		field.Word("order", order, ClampThenShift, ShiftThenClamp),
	}
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

// clamped is the order in a sentence.
func (o ClampOrder) clamped() string {
	if o == ClampThenShift {
		return "after everything below 0 has become 0"
	}
	return "before everything below 0 becomes 0"
}
