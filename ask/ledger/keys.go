// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import "dpverify/internal/show"

// A Key is what the lines of a ledger can be accounted for by: each value of it has an account of its own.
type Key string

// The keys, by their fields.
const (
	NoKey Key = ""
	Data  Key = "data" // the data set that an event is about
	Team  Key = "team" // who sees its output
)

// An Owner is whose account it is; the zero value is everybody's.
type Owner struct {
	By   Key
	Name string
}

// owner is whose a line is.
func (l Line) owner(by Key) Owner {
	return Owner{by, map[Key]string{Data: l.Data, Team: l.Team}[by]}
}

// holds says what a separate account means.
//
// A record of one data set, whose neighbours differ in this set alone, changes the outputs of events on it. Given
// earlier outputs it changes no other output: the losses of the other events are 0, also where each event was chosen in
// view of all outputs. What one team sees is the composition of its events only if their choice does not depend on the
// outputs of others.
func (o Owner) holds() string {
	switch o.By {
	case Data:
		return " Each account is about the records of one data set: what is in several of them loses the sum."
	case Team:
		return " Each account is about what one team sees: teams that tell each other of outputs, or choose events " +
			"in view of those of others, lose the sum."
	}
	return ""
}

// String names an owner.
func (o Owner) String() string { return string(o.By) + " " + show.Name(show.Cut(o.Name)) }
