// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// SelfComposed is the adaptive composition of Count copies of Event.
type SelfComposed struct {
	Event Event
	Count int64 // in [1, MaxCount]
}

func (SelfComposed) ClassName() string              { return "SelfComposedDpEvent" }
func (e SelfComposed) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e SelfComposed) encodeFields(w *encoder) {
	w.inner(e.Event)
	w.Integer("count", e.Count)
}

func decodeSelfComposed(r *reader) Event {
	return SelfComposed{
		Event: r.event("event"),
		Count: r.Integer("count", 1, MaxCount),
	}
}

// Composed is the adaptive composition of Events; of none it is a no-op.
type Composed struct {
	Events []Event
}

func (Composed) ClassName() string              { return "ComposedDpEvent" }
func (e Composed) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Composed) encodeFields(w *encoder) { w.events("events", e.Events) }

func decodeComposed(r *reader) Event {
	return Composed{Events: r.events("events")}
}
