// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// Group is an event seen by Size records at once, which all are there or all are not (or are all replaced).
type Group struct {
	Event Event
	Size  int64 // in [1, MaxCount]
}

func (Group) ClassName() string              { return "GroupEvent" }
func (e Group) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Group) describe() description {
	return description{
		value: &e,
		about: "What a group of records sees of an event, all of them there or all of them not.",
		bound: "noise at size times the distance; a Poisson sample of Gaussian noise as a mixture; (epsilon, delta) " +
			"exactly, other guarantees by group privacy",
		example:  `"event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"},"size":3`,
		sentence: say("%s; it protects groups of %s", e.Event, field.Many{N: e.Size, Thing: "record"}),
		fields: []field.Field{
			// What dominates for one record does for a group: the chain of its records goes over the same neighbours.
			inner(&e.Event),
			field.Copies("size", &e.Size),
		},
	}
}
