// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// Maximum is the worst case of several mechanisms: one of Events runs, and which one an adversary chooses. The choice
// may depend on outputs of earlier mechanisms, and on nothing else of the data; neighbouring data have the same. Each
// copy of it in a composition is a choice of its own.
type Maximum struct {
	Events []Event // at least one
}

func (Maximum) ClassName() string              { return "MaximumEvent" }
func (e Maximum) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Maximum) describe() description {
	return description{
		value: &e,
		about: "The worst of several mechanisms, of which an adversary runs one.",
		bound: "the worst of several mechanisms, of which an adversary runs one: exactly alone; compositions above " +
			"by the pair of the greatest profile, below by fixed choices",
		example: `"events":[{"class_name":"GaussianDpEvent","noise_multiplier":"2"},{"class_name":"LaplaceDpEvent",` +
			`"noise_multiplier":"2"}]`,
		sentence: say("whichever is the worst of %s: %s", field.Elements(e.Events, "mechanism"), e.Events),
		fields: []field.Field{
			// A maximum rises with each of the profiles, so that parameters move it as they move the events.
			events(&e.Events, 1),
			field.Rule(func() (name, value, want string) {
				if len(e.Events) == 0 {
					return "events", "an empty list", "a list of at least one event"
				}
				return "", "", ""
			}),
		},
	}
}
