// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package page

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"strings"
	"time"

	"dpverify/ask/importer"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Request is what somebody has typed, with 6 digits where they are left out. Text is an event, a history of Opacus or
// a claims file, as JSON or YAML. Of an event or a history, Epsilon asks for δ and Delta for ε; both together are a
// claim, or ask for the unknown number of an event with "?".
type Request struct {
	Text      string `json:"text"`
	Epsilon   string `json:"epsilon"`
	Delta     string `json:"delta"`
	Relation  string `json:"relation"`
	Direction string `json:"direction"`
	Digits    int    `json:"digits"`
}

// A Reply is an answer, or what is wrong with the request.
type Reply struct {
	Error    string    `json:"error,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// A Finding is what was found about a claim or a mechanism.
type Finding struct {
	Title       string   `json:"title,omitempty"` // the id of a claim
	Verdict     string   `json:"verdict,omitempty"`
	Words       string   `json:"words"`
	Event       string   `json:"event,omitempty"`
	Bounds      []Bound  `json:"bounds,omitempty"`
	Remarks     []string `json:"remarks,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	Methods     []string `json:"methods,omitempty"`
	Command     string   `json:"command,omitempty"` // that asks the program the same
	Quote       string   `json:"quote,omitempty"`   // the number to quote
	Counted     string   `json:"counted,omitempty"` // the steps of a training
	// Point is the claim, or what is answered, for the graph.
	Point *[2]string `json:"point,omitempty"`
	// Text is the event with the number that was looked for.
	Text string `json:"text,omitempty"`
}

// A Bound is an enclosure of what Of names.
type Bound struct {
	Of string `json:"of"`
	Lo string `json:"lo"`
	Hi string `json:"hi"`
}

// The times of a question, and what it aims at.
const (
	budget      = 60 * time.Second
	graphBudget = 8 * time.Second
	fewDigits   = 6
	mostDigits  = 30
	mostText    = 1 << 20
)

// noFiles refuses the files that events name: a page has none.
func noFiles(path string) (io.ReadCloser, error) {
	return nil, &fs.PathError{Op: "open", Path: path,
		Err: errors.New("the page reads no files; write the numbers into the event, or use the program")}
}

// content is what a text holds.
type content int

const (
	holdsEvent content = iota
	holdsClaims
)

// parse reads the text, and turns a history into an event.
func (r Request) parse() (n *document.Node, holds content, err error) {
	if strings.TrimSpace(r.Text) == "" {
		return nil, holdsEvent, fmt.Errorf("there is no text, want an event, a history or claims")
	}
	if len(r.Text) > mostText {
		return nil, holdsEvent, fmt.Errorf("%d bytes of text, want at most %d", len(r.Text), mostText)
	}
	n, err = document.Parse([]byte(r.Text))
	if isHistory := strings.HasPrefix(strings.TrimSpace(r.Text), "["); err == nil &&
		n.Get("history") == nil && !isHistory {
		if n.Get("claims") != nil {
			holds = holdsClaims
		}
		return n, holds, nil
	}
	claim, historyErr := importer.Opacus(importer.Source{Name: "history", Data: []byte(r.Text)}, "0", "0")
	if historyErr != nil {
		if err == nil {
			err = historyErr
		}
		return nil, holdsEvent, err
	}
	n, err = document.ParseJSON(claim.Event)
	return n, holdsEvent, err
}

// question is the question about an event, and quantity what is asked.
func (r Request) question() (q exact.Question, err error) {
	if r.Relation != "" {
		if q.Relation, err = mechanism.ParseRelation(r.Relation); err != nil {
			return q, err
		}
	}
	if r.Direction != "" {
		q.Direction, err = mechanism.ParseDirection(r.Direction)
	}
	return q, err
}

func (r Request) digits() int {
	return cmp.Or(r.Digits, fewDigits)
}

// assumptions are what an answer rests on.
func assumptions(relation mechanism.Relation, notes []string) []string {
	neighbours := map[mechanism.Relation]string{
		mechanism.AddOrRemoveOne: "Two datasets are neighbours if one record is added or removed (ADD_OR_REMOVE_ONE).",
		mechanism.ReplaceOne:     "Two datasets are neighbours if one record is replaced by another one (REPLACE_ONE).",
		mechanism.ReplaceSpecial: "Two datasets are neighbours if one record is replaced by a null record (REPLACE_SPECIAL).",
	}[relation]
	return append([]string{neighbours, "Numbers mean exactly what is written.",
		"Noise is the ideal distribution: what a sampler in floating point does is not examined."}, notes...)
}

// numberOf reads a number of a domain.
func numberOf(name, text string, in number.Domain) (*big.Rat, error) {
	x, err := number.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !in.Contains(x) {
		return nil, fmt.Errorf("%s = %s, want %s", name, show.Value(text), in)
	}
	return x, nil
}
