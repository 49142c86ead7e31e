// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package curve encloses δ over a range of ε, or the least ε over the number of compositions,
// at points, and draws a band that contains the truth between them.
package curve

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

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
	Over   string     // epsilon or compositions
	Of     string     // delta or epsilon
	At     []*big.Rat // the points
	Values []ask.Answer

	question exact.Question // of all points over ε
}

// Compute computes a curve. With ctx's error there is what was reached, if anything.
func Compute(ctx context.Context, r Request) (*Curve, error) {
	r.step("looking for the range")
	r.Started = time.Now()
	var v *Curve
	var at []*big.Rat
	if r.Compositions != 0 {
		v, at = r.overCompositions()
	} else {
		var err error
		if v, at, err = r.overEpsilon(ctx); err != nil {
			return nil, err
		}
	}
	if err := v.extend(ctx, at); err != nil {
		if v.Values == nil {
			return nil, err
		}
		return v, err
	}
	return v, nil
}

// extend encloses a curve at further points. With ctx's error there is what was reached.
func (v *Curve) extend(ctx context.Context, at []*big.Rat) error {
	if v.Over == "compositions" {
		return v.extendCounts(ctx, at)
	}
	var qs []ask.Quantity
	for _, eps := range at {
		qs = append(qs, ask.Delta(eps))
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

// Decimal returns the bounds at a point. They are printed with a few more digits than
// was aimed at where they are known.
func (v *Curve) Decimal(i int) (lo, hi string) {
	return v.Values[i].Decimal(max(v.Digits, 6))
}

// Methods returns what bounds the points.
func (v *Curve) Methods() []string {
	return v.collect(func(a ask.Answer) []string { return a.Methods })
}

// Notes returns the assumptions that the curve rests on.
func (v *Curve) Notes() []string {
	return v.collect(func(a ask.Answer) []string { return a.Notes })
}

// collect returns what some answers have, once each.
func (v *Curve) collect(of func(ask.Answer) []string) []string {
	out := []string{}
	for _, a := range v.Values {
		for _, s := range of(a) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// Lacking says how many points are not as accurate as wanted, and why; it is empty
// if all are.
func (v *Curve) Lacking() string {
	n, reason := 0, ""
	for _, a := range v.Values {
		if !a.Complete() {
			n++
			reason = a.Reason()
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d points are wider than the %d digits wanted: %s", n, len(v.Values), v.Digits, reason)
}
