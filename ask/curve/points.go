// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"context"
	"fmt"
	"math/big"
	"slices"

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
	Points       int      // at least 2; at most, if they are drawn
	// Drawn curves begin with few points, over ε up to a tick and over compositions spaced by
	// their logarithm, and get others where they bend.
	Drawn bool
	Step  func(what string) // called with what is being done, if it is not nil
}

// events returns what the curve is to hold for.
func (r Request) events() mechanism.Range {
	if r.Events.LessPrivate == nil {
		return mechanism.Range{MorePrivate: r.Event, LessPrivate: r.Event}
	}
	return r.Events
}

func (r Request) step(what string) {
	if r.Step != nil {
		r.Step(what)
	}
}

// A Curve is a quantity over another one, enclosed at points.
type Curve struct {
	Request
	Over   string     // epsilon, compositions, or what a kind is over
	Of     string     // delta, epsilon or the name of a kind
	At     []*big.Rat // the points
	Values []ask.Answer

	question exact.Question // of all points over ε
	asked    int            // points to begin with
}

// extend encloses a curve at further points. With ctx's error there is what was reached.
func (v *Curve) extend(ctx context.Context, at []*big.Rat) error {
	if v.Over == "compositions" {
		return v.extendCounts(ctx, at)
	}
	var qs []ask.Quantity
	quantity := ask.Delta
	if v.Kind != nil {
		quantity = v.Kind.quantity
	}
	for _, x := range at {
		qs = append(qs, quantity(x))
	}
	g := v.Goal
	g.Progress = func(e exact.Effort, open int) {
		v.step(fmt.Sprintf("effort %d, %d of %d points are left", e, open, len(qs)))
	}
	answers, err := ask.Range(ctx, v.question, v.events(), g, qs...)
	for i, a := range answers {
		v.insert(at[i], a)
	}
	return err
}

// insert adds a point where it belongs.
func (v *Curve) insert(at *big.Rat, a ask.Answer) {
	i, _ := slices.BinarySearchFunc(v.At, at, (*big.Rat).Cmp)
	v.At, v.Values = slices.Insert(v.At, i, at), slices.Insert(v.Values, i, a)
}

// extendCounts is extend over numbers of compositions: each is a question of its own.
func (v *Curve) extendCounts(ctx context.Context, at []*big.Rat) error {
	for i, k := range at {
		question := v.Question
		events := v.events()
		events.MorePrivate = mechanism.SelfComposed{Event: events.MorePrivate, Count: k.Num().Int64()}
		events.LessPrivate = mechanism.SelfComposed{Event: events.LessPrivate, Count: k.Num().Int64()}
		question.Scale = v.Delta
		g := v.Goal
		g.Progress = func(e exact.Effort, _ int) {
			v.step(fmt.Sprintf("%s compositions at effort %d, %d of %d points are left", k.Num(), e, len(at)-i, len(at)))
		}
		answers, err := ask.Range(ctx, question, events, g, ask.Epsilon(v.Delta))
		if answers != nil {
			v.insert(k, answers[0])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
