// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package query answers questions in JSON Lines, the protocol of "verify query":
//
//	{"id": …, "event": {…}, "quantity": "delta" | "epsilon" | "renyi" | "tradeoff" | "tv" | "gdp", "at": "1.0",
//	 "relation": …, "direction": …, "number_format": …, "digits": 12, "timeout": 60, "engine": "exact"}
//
// Questions are answered in parallel and in order, each as soon as it and its predecessors
// are done. They share what their events have in common; no answer depends on other questions. A line that cannot be
// answered yields an object with an error.
package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"dpverify/ask"
	"dpverify/ask/estimate"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/ordered"
	"dpverify/internal/shown"
)

// Options say what questions may cost, and who is told about bugs.
type Options struct {
	MaxMemory int64       // bytes that one step of a method may take; 0 means no limit
	Bug       func(error) // called with a bug of the engine that a line has met, if it is not nil
}

// Serve answers every line of in until it or ctx ends, and returns how many of them could not
// be answered. The error is non-nil if in or out fails or ctx has ended.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) (failed int, err error) {
	memo := new(exact.Memo)
	for r := range ordered.Map(lines(ctx, in), func(l line) reply { return answer(ctx, l, o, memo) }) {
		if r.read != nil {
			return failed, fmt.Errorf("standard input: %w", r.read)
		}
		if r.bug != nil && o.Bug != nil {
			o.Bug(r.bug)
		}
		if r.err != nil {
			failed++
		}
		if err := r.write(out); err != nil {
			return failed, err
		}
	}
	return failed, ctx.Err()
}

// answer answers one line. memo is what all lines share.
func answer(ctx context.Context, l line, o Options, memo *exact.Memo) reply {
	r := reply{id: json.RawMessage("null")}
	switch {
	case l.err != nil:
		r.read = l.err
		return r
	case l.tooLong:
		r.err = fmt.Errorf("line %d: longer than %d bytes", l.number, maxLine)
		return r
	}
	r.err = guard.Run(func() error {
		started := time.Now()
		q, id, err := decode(ctx, l)
		if id != nil {
			r.id = id
		}
		if err != nil {
			return err
		}
		if q.estimates {
			return r.estimated(ctx, q, started)
		}
		q.Question.MaxMemory, q.Question.Memo = o.MaxMemory, memo
		answers, err := ask.Range(ctx, q.Question, q.events, q.Goal, q.Quantity)
		if answers == nil {
			return err
		}
		a := answers[0]
		r.answer = &Answer{ID: r.id, Quantity: q.name, At: q.at, Complete: a.Complete(), Reason: a.Reason(), Notes: a.Notes}
		r.answer.Methods = append([]string{}, a.Methods...)
		r.answer.Lo, r.answer.Hi = a.Decimal(q.Digits)
		r.answer.Quote, r.answer.Training = a.Quote(q.name), shown.NewTraining(q.events, "")
		r.answer.Seconds = since(started)
		return nil
	})
	if guard.IsBug(r.err) {
		r.bug = fmt.Errorf("line %d: %w", l.number, r.err)
		first, _, _ := strings.Cut(r.err.Error(), "\n")
		r.err = errors.New("internal error: " + first)
	}
	return r
}

// estimated answers a question by the engine that estimates.
func (r *reply) estimated(ctx context.Context, q question, started time.Time) error {
	ctx, cancel := q.Limit(ctx)
	defer cancel()
	a, err := estimate.Of(ctx, estimate.Question{Events: q.events, Relation: q.Relation, Direction: q.Direction,
		Kind: q.name, At: q.where})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("query: no estimate in %v", q.Budget)
	}
	if err != nil {
		return err
	}
	r.estimate = &Estimate{ID: r.id, Quantity: q.name, At: q.at, Answer: a, Training: shown.NewTraining(q.events, ""),
		Seconds: since(started)}
	return nil
}

// since is how long ago a time was, in seconds.
func since(started time.Time) json.Number {
	return json.Number(strconv.FormatFloat(time.Since(started).Seconds(), 'f', 6, 64))
}

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
