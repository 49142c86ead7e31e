// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// Maximum is the worst case of several mechanisms: one of Events runs, and which one an adversary chooses. The choice may depend on
// outputs of earlier mechanisms, and on nothing else of the data; neighbouring data have the same. Each copy of it in
// a composition is a choice of its own.
type Maximum struct {
	Events []Event // at least one
}

func (Maximum) ClassName() string              { return "MaximumEvent" }
func (e Maximum) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Maximum) encodeFields(w *encoder) { w.events("events", e.Events) }

// A maximum rises with each of the profiles, so that parameters move it as they move the events.
func decodeMaximum(r *reader) Event {
	e := Maximum{Events: r.events("events")}
	if r.Err == nil && len(e.Events) == 0 {
		r.Err = r.InvalidText("events", r.Node.Get("events"), "an empty list", oneOrMore)
	}
	return e
}

const oneOrMore = "a list of at least one event"
