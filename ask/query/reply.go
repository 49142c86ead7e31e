// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"encoding/json"
	"io"

	"dpverify/ask/estimate"
	"dpverify/internal/document"
	"dpverify/internal/shown"
)

// A reply is one line of output.
type reply struct {
	id     json.RawMessage
	answer *Answer
	// estimate is the answer of the engine float.
	estimate *Estimate
	err      error // instead of an answer
	bug      error // of the engine, to be said aloud
	read     error // of the input: there is no line
}

// An Answer is a line with an answer, its fields in the order of the protocol.
type Answer struct {
	ID       json.RawMessage `json:"id"`
	Quantity string          `json:"quantity"`
	At       json.RawMessage `json:"at,omitempty"`
	Lo       string          `json:"lo"`
	Hi       string          `json:"hi"`
	Quote    string          `json:"quote"`
	Methods  []string        `json:"methods"`
	Complete bool            `json:"complete"`
	Seconds  json.Number     `json:"seconds"`
	Reason   string          `json:"reason,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
	shown.Training
}

// An Estimate is a line with what was estimated and not proved.
type Estimate struct {
	ID       json.RawMessage `json:"id"`
	Quantity string          `json:"quantity"`
	At       json.RawMessage `json:"at,omitempty"`
	estimate.Answer
	Seconds json.Number `json:"seconds"`
	shown.Training
}

// A Failure is a line that could not be answered.
type Failure struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// write writes a reply as one line.
func (r reply) write(w io.Writer) error {
	var v any = r.answer
	if r.estimate != nil {
		v = r.estimate
	}
	if r.err != nil {
		v = Failure{r.id, r.err.Error()}
	}
	line, err := document.Line(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}
