// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"strconv"
)

// Group is an event seen by Size records at once, which all are there or all are not (or are all replaced).
type Group struct {
	Event Event
	Size  int64 // in [1, MaxCount]
}

// ClassName returns "GroupEvent".
func (Group) ClassName() string { return "GroupEvent" }
func (Group) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e Group) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Group) encodeFields(w *encoder) {
	w.field("event")
	w.event(e.Event)
	w.integer("size", e.Size)
}

// What dominates for one record does for a group: the chain of its records goes over the same neighbours.
func decodeGroup(r *reader) Event {
	return Group{Event: r.event("event"), Size: r.Integer("size", 1, MaxCount)}
}

// flattenGroup: a group sees each factor of a composition, a group of groups is one of as many records as both
// sizes multiplied, and a group of one is none.
func (f *flattener) flattenGroup(m *multiset, e Group, count int64, path string) error {
	if e.Size < 1 {
		return treeError(path, e.ClassName(), "size", strconv.FormatInt(e.Size, 10), ">= 1")
	}
	around := f.group
	f.group = times(max(around, 1), e.Size)
	defer func() { f.group = around }()
	if f.group > MaxCount {
		return treeError(path, e.ClassName(), "size, with the groups around it", fmt.Sprintf("more than %d", MaxCount), fmt.Sprintf("at most %d", MaxCount))
	}
	return f.flatten(m, e.Event, count, join(path, "event"))
}

// add adds the copies of one factor, as the group around it sees it.
func (f *flattener) add(m *multiset, x numbered) error {
	if f.group > 1 {
		key := fmt.Sprintf("Group %d %d", f.group, x.id)
		x.Event, x.id, x.sample = Group{x.Event, f.group}, f.id(key), nil
	}
	return m.add(x)
}
