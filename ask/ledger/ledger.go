// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package ledger accounts for events that are appended to a list over time. [Totals] encloses
// the privacy loss of every beginning of the list, [Decide] says which of them keep a budget,
// and [Next] how much more does: they hold for events that were fixed before outputs were
// seen. [Run] asks a privacy filter, for events that were chosen in view of earlier outputs.
package ledger

import (
	"bytes"
	"fmt"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Line is an event of a ledger.
type Line struct {
	Number     int    // in the file, counted from 1
	ID         string // as it is written; empty if there is none
	Data, Team string // its keys; empty if they are not given
	Events     mechanism.Range
}

// Parse reads a ledger in JSON Lines: an event a line, perhaps a short form in quotes, or {"id": …, "data": …, "team":
// …, "event": …}. Blank lines are skipped. name is what errors call the file.
func Parse(name string, data []byte, d mechanism.Decoder) ([]Line, error) {
	var lines []Line
	n := 0
	for text := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		l, err := parseLine(text, n, d)
		if err != nil {
			return nil, document.Locate(name, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// wrapperFields are the fields of a line that is not an event itself.
var wrapperFields = []string{"id", "data", "team", "event"}

func parseLine(text []byte, n int, d mechanism.Decoder) (Line, error) {
	l := Line{Number: n}
	node, err := document.ParseJSON(bytes.TrimRight(text, "\r\n"), document.FirstLine(n))
	if err != nil {
		return l, err
	}
	const want = `an event with a class_name, a short form in quotes, or {"id": …, "data": …, "team": …, "event": …}`
	r := document.Reader{Node: node}
	switch {
	case node.Kind == document.String || node.Get("class_name") != nil:
		l.Events, err = d.RoundedEvent(node, "event")
		return l, err
	case node.Kind != document.Mapping:
		return l, &document.FieldError{Field: "the line", Value: document.Shown(node), Want: want, Line: n}
	case node.Get("event") == nil:
		return l, &document.FieldError{Problem: document.Missing, Field: "class_name", Want: want, Line: n}
	}
	r.Known(wrapperFields, "id, data, team or event")
	for key, into := range map[string]*string{"data": &l.Data, "team": &l.Team} {
		r.Word(key, "a string", func(s string) error { *into = s; return nil })
		// 1, 1.0 and 1e0 are one number, and one account.
		if v := node.Get(key); r.Err == nil && v != nil && v.Kind == document.Number {
			if x := r.Literal(key, v, "a string"); x != nil {
				*into = number.Format(x)
			}
		}
	}
	if id := node.Get("id"); r.Err == nil && id != nil {
		if id.Kind != document.String && id.Kind != document.Number {
			r.Fail(r.Invalid("id", id, "a string or a number"))
		}
		l.ID = id.Text
	}
	if r.Err != nil {
		return l, r.Err
	}
	l.Events, err = d.RoundedEvent(node.Get("event"), "event")
	return l, err
}

// A Question is what is asked of a ledger.
type Question struct {
	Lines     []Line
	Relation  mechanism.Relation
	Direction mechanism.Direction
	MaxMemory int64         // bytes that one step of a method may take; 0 means no limit
	Digits    int           // to aim at
	Budget    time.Duration // for each line
	Progress  func(what string)
}

// progress says which line is next.
func (q Question) progress(l Line) {
	if q.Progress != nil {
		q.Progress(fmt.Sprintf("line %d", l.Number))
	}
}

// goal is what is wanted of an enclosure.
func (q Question) goal() ask.Goal { return ask.Goal{Digits: q.Digits, Budget: q.Budget} }

// asked is a question of the engine.
func (q Question) asked() exact.Question {
	return exact.Question{Relation: q.Relation, Direction: q.Direction, MaxMemory: q.MaxMemory}
}

// String names a line.
func (l Line) String() string {
	if l.ID == "" {
		return fmt.Sprintf("line %d", l.Number)
	}
	return fmt.Sprintf("line %d, %s", l.Number, show.Name(show.Cut(l.ID)))
}

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
