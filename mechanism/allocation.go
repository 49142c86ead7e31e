// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// RandomAllocation runs Event in each of NumSteps steps. The record takes part in NumSelected
// of them, a uniformly random set, and is absent from all others. With (P, Q) the event's pair
// when one record is added or removed,
//
//	P' = the mean over all sets S of Π_{i∈S} P × Π_{i∉S} Q, Q' = Q^NumSteps.
type RandomAllocation struct {
	Event       Event
	NumSelected int64 // in [0, NumSteps]
	NumSteps    int64 // in [1, MaxCount]
}

func (RandomAllocation) ClassName() string              { return "RandomAllocationDpEvent" }
func (e RandomAllocation) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e RandomAllocation) describe() description {
	return description{
		value: &e,
		about: "The event in each of num_steps steps; the record takes part in num_selected of them, a uniformly " +
			"random set.",
		bound: "convex order, of one step of any number, for one event that is known in full; of more steps blocks " +
			"above and post-processing below, a gap remains; of replaced records for Gaussian noise",
		example: `"event":{"class_name":"GaussianDpEvent","noise_multiplier":"2"},"num_selected":1,"num_steps":100`,
		sentence: say("a sequence of %s, of which every record is in %s at random; each step is %s",
			field.Many{N: e.NumSteps, Thing: "step"}, e.NumSelected, e.Event),
		fields: []field.Field{
			// A step of a less private event is a post-processing of one of a more private event the other
			// way round, step by step: trends of the event stay what they are.
			on(&e.Event, func(around int64) int64 { return field.Unfixed }),
			field.Part("num_selected", &e.NumSelected, &e.NumSteps).Last(),
			field.Integer("num_steps", &e.NumSteps, 1, MaxCount, 2, 100),
		},
	}
}
