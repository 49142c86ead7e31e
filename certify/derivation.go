// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/mechanism"
)

// deriveWithin is derive in at most a quarter of a budget: what a derivation gives must
// not cost the verdict.
func (out decision) deriveWithin(ctx context.Context) error {
	limited, cancel := out.quarter(ctx)
	defer cancel()
	err := out.derive(limited)
	if efforts.OutOfTime(ctx, err) {
		return nil
	}
	return err
}

// quarter returns a context that ends with a quarter of the budget, if there is one.
func (out decision) quarter(ctx context.Context) (context.Context, context.CancelFunc) {
	if out.o.Budget > 0 {
		return context.WithTimeout(ctx, out.o.Budget/4)
	}
	return context.WithCancel(ctx)
}

// leastNotReached is why a derivation that gives the least ε has no value yet.
const leastNotReached = "the least ε was not reached"

// derive sets the derivation of an outcome, if one is stated that does not need the
// least ε. The error is about the event or ctx's, or a bug of the engine.
func (out decision) derive(ctx context.Context) error {
	c := out.Claim
	if c.Derivation == "" {
		return nil
	}
	p, ok := c.Point()
	d := &Derivation{Name: c.Derivation, Claimed: p.Epsilon}
	out.Derivation = d
	m, known := derive.Named(c.Derivation)
	switch {
	case !ok:
		d.NotModelled = "only claims {epsilon, delta} have modelled derivations"
		return nil
	case m.Least:
		d.NotModelled = leastNotReached
		return nil
	case !known:
		d.NotModelled = "this version does not know the derivation"
		return nil
	}
	var y exact.Enclosure
	var notes []string
	for i, e := range c.Corners() {
		q := derive.Question{Question: exact.Question{Event: e, Relation: c.Relation, Direction: c.Direction},
			Orders: c.Orders, RealOrders: c.RealOrders, Published: p.Epsilon, Written: p.Written[0]}
		x, err := guard.Within(ctx, func(ctx context.Context) (derive.Result, error) {
			return m.Epsilon(ctx, q, p.Delta)
		})
		if not, ok := errors.AsType[derive.NotModelledError](err); ok {
			d.NotModelled = string(not)
			return nil
		}
		if err != nil {
			d.NotModelled = "the value was not reached in time"
			return err
		}
		if i == 0 {
			y = x.Enclosure
		} else {
			y = y.Union(x.Enclosure)
		}
		notes = append(notes, x.Note)
	}
	d.Note = cornerNote(notes)
	d.compare(p, y)
	return nil
}

// cornerNote joins what is to be said at the corners of interval parameters, the more private
// one first.
func cornerNote(notes []string) string {
	if notes = slices.Compact(notes); len(notes) == 1 {
		return notes[0]
	}
	said := func(s string) string { return cmp.Or(s, "nothing to note") }
	return said(notes[0]) + " at the more private end, " + said(notes[1]) + " at the other"
}

// deriveLeast sets a derivation that gives the least ε, once that is known. Where the
// enclosure that decided the claim leaves open to how many digits the two agree, it takes
// a few rungs more, in at most a quarter of the budget. The error is a bug of the engine or
// the end of ctx, the caller's.
func (out decision) deriveLeast(p Point) error {
	d := out.Derivation
	if d == nil || out.Epsilon == nil {
		return nil
	}
	m, _ := derive.Named(d.Name)
	if !m.Least {
		return nil
	}
	c := out.Claim
	*d = Derivation{Name: d.Name, Claimed: d.Claimed, Note: m.Note}
	x := *out.Epsilon
	d.compare(p, x)
	if out.o.Fixed != nil || !mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		return nil
	}
	limited, cancel := out.quarter(out.ctx)
	defer cancel()
	_, q := out.questions()
	further := efforts.Ladder{First: out.Effort + 1, Last: min(out.Effort+moreEffort, exact.MaxEffort)}
	err := further.Climb(limited, func(e exact.Effort) (bool, error) {
		if d.settled(p) {
			return true, nil
		}
		r, err := guard.Within(limited, func(ctx context.Context) (exact.Result, error) {
			return exact.Epsilon(ctx, q, p.Delta, epsilonBits, e)
		})
		if err != nil {
			return false, err
		}
		y, ok := interval.Intersect(x.Interval, r.Interval)
		if !ok {
			return true, nil // another rung has said so, or will
		}
		x.Interval = y
		if r.Value != nil {
			x = r.Enclosure
		}
		d.compare(p, x)
		return false, nil
	})
	if efforts.OutOfTime(out.ctx, err) {
		return nil
	}
	return err
}

// moreEffort is how many rungs more are taken for the digits of a derivation.
const moreEffort exact.Effort = 2

// settled reports whether all that a derivation says is settled.
func (d *Derivation) settled(p Point) bool {
	_, most := derive.AgreeingDigits(d.Epsilon.Interval, p.Epsilon, p.Written[0])
	return d.Implies != interval.Unknown && d.Reproduces != interval.Unknown && d.Digits == most
}

// compare compares a derived ε with the claimed one. Claims are about ε ≥ 0 as a rule, and are derived so; of one below
// 0 it counts what is derived below 0.
func (d *Derivation) compare(p Point, e exact.Enclosure) {
	if p.Epsilon.Sign() >= 0 {
		e = e.OrZero()
	}
	if e.Value != nil {
		e.Interval = (2 * derive.Bits).Rat(e.Value)
	}
	d.Epsilon = &e
	d.Implies = e.LessEqRat(p.Epsilon)
	d.Reproduces, d.Rounding = derive.Reproduces(e, p.Epsilon, p.Written[0])
	d.Digits, _ = derive.AgreeingDigits(e.Interval, p.Epsilon, p.Written[0])
}
