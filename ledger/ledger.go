// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package ledger accounts for events that are appended to a list over time. [Totals] encloses
// the privacy loss of every beginning of the list, [Decide] says which of them keep a budget,
// and [Next] how much more does: they hold for events that were fixed before outputs were
// seen. [Run] asks a privacy filter, for events that were chosen in view of earlier outputs.
package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/calibrate"
	"dpverify/certify"
	"dpverify/document"
	"dpverify/exact"
	"dpverify/mechanism"
	"dpverify/number"
)

// A Line is an event of a ledger.
type Line struct {
	Number int    // in the file, counted from 1
	ID     string // as it is written; empty if there is none
	Events mechanism.Range
}

// Parse reads a ledger in JSON Lines: an event a line, or {"id": …, "event": …}. Blank lines are
// skipped. name is what errors call the file.
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
var wrapperFields = []string{"id", "event"}

func parseLine(text []byte, n int, d mechanism.Decoder) (Line, error) {
	l := Line{Number: n}
	node, err := document.ParseJSON(bytes.TrimRight(text, "\r\n"), document.FirstLine(n))
	if err != nil {
		return l, err
	}
	const want = `an event with a class_name, or {"id": …, "event": …}`
	r := document.Reader{Node: node}
	switch {
	case node.Kind != document.Mapping:
		return l, &document.FieldError{Field: "the line", Value: document.Shown(node), Want: want, Line: n}
	case node.Get("class_name") != nil:
		l.Events, err = d.RoundedEvent(node, "event")
		return l, err
	case node.Get("event") == nil:
		return l, &document.FieldError{Problem: document.Missing, Field: "class_name", Want: want, Line: n}
	}
	r.Known(wrapperFields, "id or event")
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

// Totals encloses a quantity of the composition of the lines up to each; an ε is at least 0.
// The events must have been fixed beforehand. With an error about ctx, the first lines are
// answered.
func Totals(ctx context.Context, q Question, of ask.Quantity) ([]ask.Answer, error) {
	var out []ask.Answer
	var sum tally
	asked := q.asked()
	asked.Memo = new(exact.Memo)
	for i, l := range q.Lines {
		q.progress(l)
		sum.add(l)
		answers, err := ask.Range(ctx, asked, sum.total(), q.goal(), of)
		if err != nil {
			if e := q.askable(i); e != nil {
				err = e
			}
			return out, err
		}
		answers[0].Enclosure = answers[0].OrZero()
		out = append(out, answers[0])
	}
	return out, nil
}

// Decide decides whether the composition of the lines up to each is (eps, delta)-DP. The events
// must have been fixed beforehand. With an error about ctx, the first lines are decided.
func Decide(ctx context.Context, q Question, eps, delta *big.Rat) ([]*certify.Outcome, error) {
	var out []*certify.Outcome
	var sum tally
	memo := new(exact.Memo)
	for i, l := range q.Lines {
		q.progress(l)
		sum.add(l)
		o, err := q.keeps(ctx, sum.total(), eps, delta, memo)
		if err != nil {
			if e := q.askable(i); e != nil {
				err = e
			}
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

// keeps decides whether events are (eps, delta)-DP. memo is what decisions share, or nil.
func (q Question) keeps(ctx context.Context, events mechanism.Range, eps, delta *big.Rat, memo *exact.Memo) (*certify.Outcome, error) {
	claim := &certify.Claim{
		MorePrivate: events.MorePrivate, LessPrivate: events.LessPrivate, Relation: q.Relation, Direction: q.Direction,
		Statement: certify.Point{Epsilon: eps, Delta: delta, Written: [2]string{number.Format(eps), number.Format(delta)}},
	}
	o, err := certify.Truth(ctx, claim, certify.Options{Budget: q.Budget, MaxMemory: q.MaxMemory, Memo: memo})
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && o.Verdict == certify.Malformed {
		err = o.Err
	}
	return o, err
}

// Answer answers what the fields of an account ask: totals, whether the budget is kept, or what the filter
// says to each line; and what of t, if it is not nil, fits the budget after the ledger. With an
// error about ctx, the first lines are answered.
func (a *Account) Answer(ctx context.Context, t *calibrate.Template) (err error) {
	switch {
	case a.Filter != nil:
		a.Steps, err = Run(ctx, a.Question, a.Filter)
	case a.Epsilon == nil:
		a.Totals, err = Totals(ctx, a.Question, ask.Epsilon(a.Delta))
	case a.Delta == nil:
		a.Totals, err = Totals(ctx, a.Question, ask.Delta(a.Epsilon))
	default:
		a.Outcomes, err = Decide(ctx, a.Question, a.Epsilon, a.Delta)
	}
	if err != nil || t == nil {
		return err
	}
	a.Next, err = Next(ctx, a.Question, t, a.Epsilon, a.Delta)
	return err
}

// Next finds what still fits the budget (eps, delta) after the ledger: the value of the unknown of
// t with the greatest loss, which may be a number of copies. Where nothing fits, that is proved: the ledger
// alone exceeds the budget, or with one copy.
func Next(ctx context.Context, q Question, t *calibrate.Template, eps, delta *big.Rat) (*Following, error) {
	search := calibrate.Question{
		Template: t, Epsilon: eps, Delta: delta, Relation: q.Relation, Direction: q.Direction,
		Digits: calibrate.DefaultDigits, Budget: q.Budget, Progress: q.Progress,
	}
	lines := q.Lines
	if len(lines) > 0 {
		t.Before = composed(lines)
	}
	if e, ok := t.Copied(); ok {
		lines = append(slices.Clone(lines), Line{Events: mechanism.Range{MorePrivate: e, LessPrivate: e}})
	}
	o, err := q.keeps(ctx, composed(lines), eps, delta, nil)
	if err != nil {
		return nil, err
	}
	out := &Following{Question: search}
	switch o.Verdict {
	case certify.Refuted:
		out.Full = true
	case certify.Undecided:
		out.Finding.Ended = "whether anything more fits the budget is not decided: " + o.Reason
	default:
		var none calibrate.NotEnoughError
		if out.Finding, err = calibrate.Search(ctx, search); errors.As(err, &none) {
			out.Finding.Ended, err = none.Error(), nil
		}
	}
	return out, err
}
