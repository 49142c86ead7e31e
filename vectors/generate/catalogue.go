// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"strings"

	"dpverify/mechanism"
	"dpverify/vectors"
)

// A family asks about some events.
type family struct {
	File   string   // the kind of event, which is half of a file's name
	Group  string   // what the tests have in common
	Flags  []string // beside those that follow from a question and its answer: see flagsOf
	Format string   // binary64 if empty: what a library in floating point computes with
	Rough  bool     // no method is tight: the answer comes from a fixed effort
	Asks   []asked
	Events []json.RawMessage
}

// An asked is a quantity in some places.
type asked struct {
	Quantity  string
	At        string // numbers between blanks
	Relation  string // ADD_OR_REMOVE_ONE if empty
	Direction string // both if empty
	Digits    int    // 20 if 0: where more would take too long
}

//go:embed catalogue.json
var written []byte

// read reads a file of this package.
func read[T any](text []byte) (out T) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		panic("generate: internal error: " + err.Error())
	}
	return out
}

// catalogue returns all families. The files have the same order.
func catalogue() []family {
	own := read[[]family](written)
	return append(own, examples(own)...)
}

// examples asks about the example of each class that no family of its own asks about, unless the example is in files.
func examples(own []family) (out []family) {
	var events []byte
	for _, f := range own {
		for _, e := range f.Events {
			events = append(events, e...)
		}
	}
	for _, c := range mechanism.Descriptions() {
		if bytes.Contains(events, []byte(`"`+c.Class+`"`)) || c.Class == inFiles {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(c.Class, "Event"), "Dp")
		relation := c.Relations[0].String()
		out = append(out, family{
			File:  strings.ToLower(capitals.ReplaceAllString(name, "${1}_$2")),
			Group: "the example of the help",
			Rough: true,
			Asks: []asked{{Quantity: "delta", At: "0.5", Relation: relation},
				{Quantity: "epsilon", At: "1e-5", Relation: relation}},
			Events: []json.RawMessage{json.RawMessage(c.Example)},
		})
	}
	return out
}

const inFiles = "HistogramPairEvent"

var capitals = regexp.MustCompile("([a-z])([A-Z])")

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
