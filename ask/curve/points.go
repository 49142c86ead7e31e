// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/mechanism"
)

// A Request asks for a curve.
type Request struct {
	exact.Question
	// Events, if it is set, stands for the event of the question: the curve holds for all of
	// them, and that event is the least private.
	Events mechanism.Range
	ask.Goal
	From, To     *big.Rat // of ε, in nats; To is nil if it is to be found
	Kind         *Kind    // what is enclosed over From to To, of [Tabled]; nil is δ
	Compositions int64    // if not 0, ε over the number of compositions
	Delta        *big.Rat // and at this δ
	Points       int      // at least 2
	Step         func(what string)
}

// events returns what the curve is to hold for.
func (r Request) events() mechanism.Range {
	if r.Events.LessPrivate == nil {
		return mechanism.Range{MorePrivate: r.Event, LessPrivate: r.Event}
	}
	return r.Events
}

// An asker encloses a quantity of events at points.
type asker struct {
	exact.Question
	events mechanism.Range
	ask.Goal
	quantity func(*big.Rat) ask.Quantity
	over     *big.Rat // if it is not nil, points are numbers of compositions, of which quantity(over) is asked
	step     func(what string)
}

// at encloses the quantity at points. With ctx's error there is what was reached.
func (a asker) at(ctx context.Context, xs []*big.Rat) ([]ask.Answer, error) {
	g := a.Goal
	if a.over == nil {
		var qs []ask.Quantity
		for _, x := range xs {
			qs = append(qs, a.quantity(x))
		}
		g.Progress = func(e exact.Effort, open int) {
			a.step(fmt.Sprintf("effort %d, %d of %d points are left", e, open, len(qs)))
		}
		return ask.Range(ctx, a.Question, a.events, g, qs...)
	}
	var out []ask.Answer
	for i, k := range xs { // each is a question of its own
		events := a.events
		events.MorePrivate = mechanism.SelfComposed{Event: events.MorePrivate, Count: k.Num().Int64()}
		events.LessPrivate = mechanism.SelfComposed{Event: events.LessPrivate, Count: k.Num().Int64()}
		g.Progress = func(e exact.Effort, _ int) {
			a.step(fmt.Sprintf("%s compositions at effort %d, %d of %d points are left", k.Num(), e, len(xs)-i, len(xs)))
		}
		answers, err := ask.Range(ctx, a.Question, events, g, a.quantity(a.over))
		if out = append(out, answers...); err != nil {
			return out, err
		}
	}
	return out, nil
}
