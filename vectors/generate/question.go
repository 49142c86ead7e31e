// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"encoding/json"
	"strings"

	"dpverify/mechanism"
	"dpverify/vectors"
)

// A question is one of the catalogue.
type question struct {
	family
	asked
	event, place string
}

// digits are what vectors are written to, and known to where a family does not say less.
const digits = 20

// test returns a question as a test without an answer.
func (q question) test() vectors.Test {
	t := vectors.Test{
		Event: json.RawMessage(q.event), Relation: q.Relation, Direction: q.Direction,
		Quantity: q.Quantity, At: q.place, NumberFormat: q.Format,
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

// questions returns the catalogue, each question once.
func questions() []question {
	var out []question
	seen := make(map[string]bool)
	for _, f := range catalogue() {
		for _, a := range f.Asks {
			for _, event := range f.Events {
				for _, at := range strings.Fields(a.At) {
					q := question{f, a, string(event), at}
					if id := q.test().TcID; !seen[id] {
						seen[id] = true
						out = append(out, q)
					}
				}
			}
		}
	}
	return out
}
