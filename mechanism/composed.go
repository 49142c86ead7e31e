// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// SelfComposed is the adaptive composition of Count copies of Event.
type SelfComposed struct {
	Event Event
	Count int64 // in [1, MaxCount]
}

func (SelfComposed) ClassName() string              { return "SelfComposedDpEvent" }
func (e SelfComposed) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e SelfComposed) describe() description {
	return description{
		value:    &e,
		about:    "The composition of count copies of an event.",
		bound:    "the product of the pairs; every method that applies to it",
		example:  `"event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"},"count":10`,
		sentence: say("a sequence of %s, each %s", field.Many{N: e.Count, Thing: "step"}, e.Event),
		fields: []field.Field{
			inner(&e.Event),
			field.Copies("count", &e.Count),
		},
	}
}

// Composed is the adaptive composition of Events; of none it is a no-op.
type Composed struct {
	Events []Event
}

func (Composed) ClassName() string              { return "ComposedDpEvent" }
func (e Composed) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Composed) describe() description {
	parts := say("a sequence of %s: %s", field.Elements(e.Events, "part"), e.Events)
	if len(e.Events) == 0 {
		parts = say("a sequence of no steps")
	}
	return description{
		value: &e,
		about: "The composition of events.",
		bound: "the product of the pairs; every method that applies to it",
		example: `"events":[{"class_name":"GaussianDpEvent","noise_multiplier":"1"},{"class_name":"LaplaceDpEvent",` +
			`"noise_multiplier":"1"}]`,
		sentence: parts,
		fields: []field.Field{
			events(&e.Events, 0),
		},
	}
}
