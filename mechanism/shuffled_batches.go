// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// ShuffledBatches puts the records into a uniformly random order, cuts it into Batches batches of one size, and runs
// Event on each of them, one after the other. Copies of it draw an order each.
type ShuffledBatches struct {
	Event   Event
	Batches int64 // in [1, MaxCount]
}

func (ShuffledBatches) ClassName() string              { return "ShuffledBatchesEvent" }
func (e ShuffledBatches) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ShuffledBatches) describe() description {
	return description{
		value: &e,
		about: "An epoch of batches: the records in a uniformly random order, cut into batches of one size, and the event " +
			"on each.",
		bound: "above by the event on the batch of the record, as if the order were known: no amplification is proved; " +
			"below, of noise on sums, by data in which all others are equal; a gap remains",
		relations: replacing,
		example:   `"event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"},"batches":100`,
		sentence: say("%s on each of %s, into which a random order of the records is cut", e.Event,
			field.Many{N: e.Batches, Thing: "batch"}),
		fields: []field.Field{
			on(&e.Event, func(int64) int64 { return field.Unfixed }),
			field.Integer("batches", &e.Batches, 1, MaxCount, 2, 100),
		},
	}
}
