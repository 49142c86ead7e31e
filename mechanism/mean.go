// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/field"
)

// Mean is one of several mechanisms, drawn at random whatever the data are: Events[i] runs with probability
// Probabilities[i], and which one it was is not said. Each has outputs of its own choice, by which it may show.
type Mean struct {
	Probabilities []*big.Rat // ≥ 0, with sum exactly 1
	Events        []Event    // as many
}

func (Mean) ClassName() string              { return "MeanOfEvents" }
func (e Mean) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Mean) describe() description {
	all := events(&e.Events, 1)
	all.Draw = func(d *field.Drawing) {
		e.Events = make([]Event, len(e.Probabilities))
		for i := range e.Events {
			e.Events[i] = drawInside(d, d.Records)
		}
	}
	return description{
		value: &e,
		about: "One of several mechanisms, secretly, with given probabilities.",
		bound: "the mean of the profiles, exactly where they are; compositions by grids of the loss, which has the mean " +
			"of the laws",
		example: `"probabilities":["0.9","0.1"],"events":[{"class_name":"GaussianDpEvent","noise_multiplier":"2"},` +
			`{"class_name":"LaplaceDpEvent","noise_multiplier":"1"}]`,
		sentence: say("one of %s, secretly: %s", field.Elements(e.Events, "mechanism"),
			field.Each(e.Events, ", ", func(i int, x Event) field.Sentence {
				return say("with probability %s %s", e.Probabilities[i], x)
			})),
		fields: []field.Field{
			field.Weights("probabilities", &e.Probabilities),
			// A mean rises with each of the profiles, so that parameters of events move it as they move the events.
			all,
			field.Rule(func() (name, value, want string) {
				if n, m := len(e.Events), len(e.Probabilities); n != m {
					return "events", fmt.Sprintf("a list of %d", n), fmt.Sprintf("a list of %d, as many as probabilities", m)
				}
				return "", "", ""
			}),
		},
	}
}
