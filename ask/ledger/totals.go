// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/mechanism"
)

// Totals encloses a quantity of the composition of the lines up to each; an ε is at least 0.
// The events must have been fixed beforehand. With an error about ctx, the first lines are
// answered.
func Totals(ctx context.Context, q Question, of ask.Quantity) ([]ask.Answer, error) {
	asked := q.asked()
	asked.Memo = new(exact.Memo)
	return upToEach(q, func(events mechanism.Range) (a ask.Answer, err error) {
		answers, err := ask.Range(ctx, asked, events, q.goal(), of)
		if err == nil {
			a = answers[0]
			a.Enclosure = a.OrZero()
		}
		return a, err
	})
}

// Decide decides whether the composition of the lines up to each is (eps, delta)-DP. The events
// must have been fixed beforehand. With an error about ctx, the first lines are decided.
func Decide(ctx context.Context, q Question, eps, delta *big.Rat) ([]*certify.Outcome, error) {
	memo := new(exact.Memo)
	return upToEach(q, func(events mechanism.Range) (*certify.Outcome, error) {
		return q.keeps(ctx, events, eps, delta, memo)
	})
}

// upToEach answers about the composition of the lines up to each. With an error, the first lines are answered.
func upToEach[T any](q Question, about func(mechanism.Range) (T, error)) (out []T, err error) {
	var sum tally
	for i, l := range q.Lines {
		q.progress(l)
		sum.add(l)
		x, err := about(sum.total())
		if err != nil {
			return out, cmp.Or(q.askable(i), err)
		}
		out = append(out, x)
	}
	return out, nil
}

// keeps decides whether events are (eps, delta)-DP. memo is what decisions share, or nil.
func (q Question) keeps(ctx context.Context, events mechanism.Range, eps, delta *big.Rat,
	memo *exact.Memo) (*certify.Outcome, error) {
	o, err := certify.Keeps(ctx, events, q.asked(), eps, delta, certify.Options{Budget: q.Budget,
		MaxMemory: q.MaxMemory, Memo: memo})
	return o, cmp.Or(err, ctx.Err())
}

// A tally is a composition that grows line by line: equal events are counted, so that a total takes as long as there
// are different ones. Compositions do not depend on the order.
type tally struct {
	index   map[string]int // of an event, as it is encoded, in events
	events  []counted
	rounded []string
}

// A counted event is an event with how many lines have it.
type counted struct {
	mechanism.Range
	count int64
}

// add appends a line.
func (t *tally) add(l Line) {
	key := string(mechanism.EncodeEvent(l.Events.MorePrivate)) + "\n" + string(mechanism.EncodeEvent(l.Events.LessPrivate))
	if i, ok := t.index[key]; ok {
		t.events[i].count++
	} else {
		if t.index == nil {
			t.index = make(map[string]int)
		}
		t.index[key] = len(t.events)
		t.events = append(t.events, counted{l.Events, 1})
	}
	for _, path := range l.Events.Rounded {
		t.rounded = append(t.rounded, fmt.Sprintf("line %d: %s", l.Number, path))
	}
}

// total is the composition of all lines.
func (t *tally) total() mechanism.Range {
	var more, less []mechanism.Event
	for _, e := range t.events {
		more, less = append(more, copies(e.MorePrivate, e.count)), append(less, copies(e.LessPrivate, e.count))
	}
	return mechanism.Range{MorePrivate: mechanism.Composed{Events: more}, LessPrivate: mechanism.Composed{Events: less},
		Rounded: t.rounded}
}

// copies is an event so often.
func copies(e mechanism.Event, count int64) mechanism.Event {
	if count == 1 {
		return e
	}
	return mechanism.SelfComposed{Event: e, Count: count}
}

// composed is the composition of lines.
func composed(lines []Line) mechanism.Range {
	var t tally
	for _, l := range lines {
		t.add(l)
	}
	return t.total()
}

// askable says why line i has no meaning, of an event alone: a total counts equal ones.
func (q Question) askable(i int) error {
	for _, e := range []mechanism.Event{q.Lines[i].Events.LessPrivate, q.Lines[i].Events.MorePrivate} {
		if _, _, err := meaning.ResolveProfile(e, q.Relation, q.Direction); err != nil {
			return fmt.Errorf("line %d: %w", q.Lines[i].Number, err)
		}
	}
	return nil
}
