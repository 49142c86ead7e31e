// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

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

func (e RandomAllocation) encodeFields(w *encoder) {
	w.inner(e.Event)
	w.Integer("num_selected", e.NumSelected)
	w.Integer("num_steps", e.NumSteps)
}

// A step of a less private event is a post-processing of one of a more private event the other
// way round, step by step: trends of the event stay what they are.
func decodeRandomAllocation(r *reader) Event {
	e := RandomAllocation{Event: r.event("event")}
	e.NumSteps = r.Integer("num_steps", 1, MaxCount)
	e.NumSelected = r.Integer("num_selected", 0, max(e.NumSteps, 1))
	return e
}
