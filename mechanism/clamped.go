// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
	"dpverify/internal/show"
)

// Clamped is noise about a location, clamped to be non-negative: of Laplace noise that is the noise of the Vuvuzela
// messaging system. With X the noise and s the shift,
//
//	ClampThenShift (as deployed):             P = max(0, X), Q = s + max(0, X)
//	ShiftThenClamp (as printed in the paper): P = max(0, X), Q = max(0, s + X)
type Clamped struct {
	Noise    Noise
	Location *big.Rat
	Width    *big.Rat // > 0
	Shift    *big.Rat // >= 0; 0: equal distributions
	Order    ClampOrder
}

func (e Clamped) ClassName() string            { return "Clamped" + e.Noise.String() + "Event" }
func (e Clamped) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Clamped) describe() description {
	return description{
		value:   &e,
		about:   e.Noise.String() + " noise clamped to be non-negative, before or after the shift that it hides.",
		bound:   "closed form",
		example: `"location":"10","` + e.Noise.width() + `":"4","shift":"2","order":"clamp-then-shift"`,
		sentence: say("an answer with "+e.Noise.phrase()+" %s around %s, moved by at most %s %s",
			e.Width, e.Location, e.Shift, e.Order.clamped()),
		fields: []field.Field{
			field.Real(5, 50).Number("location", &e.Location, field.Unproved),
			field.Positive(0.5, 5).Number(e.Noise.width(), &e.Width, field.Unproved),
			field.NonNegative(1, 1).Number("shift", &e.Shift, field.Unproved),
			field.Word("order", &e.Order, ClampThenShift, ShiftThenClamp),
			e.Noise.rule(),
		},
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
	return show.Word(o, "ClampOrder", "clamp-then-shift", "shift-then-clamp")
}

// clamped is the order in a sentence.
func (o ClampOrder) clamped() string {
	if o == ClampThenShift {
		return "after everything below 0 has become 0"
	}
	return "before everything below 0 becomes 0"
}
