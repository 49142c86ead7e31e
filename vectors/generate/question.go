// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"encoding/json"

	"dpverify/mechanism"
	"dpverify/vectors"
)

const (
	replaceOne     = "REPLACE_ONE"
	replaceSpecial = "REPLACE_SPECIAL"
)

// A question is one of the catalogue.
type question struct {
	family
	event, place string
}

// digits are what vectors are written to, and known to where a family does not say less.
const digits = 20

// test returns a question as a test without an answer.
func (q question) test() vectors.Test {
	t := vectors.Test{
		Event: json.RawMessage(q.event), Relation: q.relation, Direction: q.direction,
		Quantity: q.quantity, At: q.place, NumberFormat: q.format,
	}
	if t.Relation == "" {
		t.Relation = mechanism.AddOrRemoveOne.String()
	}
	if t.Direction == "" {
		t.Direction = mechanism.Both.String()
	}
	if t.NumberFormat == "" {
		t.NumberFormat = "binary64"
	}
	id, err := t.ID()
	if err != nil {
		panic("generate: internal error: " + err.Error())
	}
	t.TcID = id
	return t
}

// A family asks one quantity of some events in some places.
type family struct {
	file     string // the kind of event, which is half of a file's name
	group    string // what the tests have in common
	flags    []Flag // beside those that follow from a question and its answer: see flagsOf
	relation string // ADD_OR_REMOVE_ONE if empty
	// direction is both if empty, and format binary64: what a library in floating point
	// computes with.
	direction, format string
	quantity          string
	events            []string
	at                string // numbers between blanks
	digits            int    // 20 if 0: where more would take too long
	// rough says that no method is tight: it comes from a fixed effort.
	rough bool
}
