// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// Group is an event seen by Size records at once, which all are there or all are not (or are all replaced).
type Group struct {
	Event Event
	Size  int64 // in [1, MaxCount]
}

func (Group) ClassName() string              { return "GroupEvent" }
func (e Group) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Group) encodeFields(w *encoder) {
	w.inner(e.Event)
	w.Integer("size", e.Size)
}

// What dominates for one record does for a group: the chain of its records goes over the same neighbours.
func decodeGroup(r *reader) Event {
	return Group{Event: r.event("event"), Size: r.Integer("size", 1, MaxCount)}
}
