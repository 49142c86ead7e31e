// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package ask raises the effort of the exact engine until a quantity is known well
// enough: to so many digits, or as well as a time allows. It is the one place that
// climbs the ladder of efforts.
//
// [For] answers questions: [Delta], [Epsilon], [Renyi], [TradeOff] and [TotalVariation] of
// an event. [Range] answers them for all events between two. Every answer contains the
// truth, however little time there was for it; [Answer.Lacking] is why it is not as
// accurate as it was wanted.
//
// Whoever decides something else by enclosures climbs a [Ladder] with a rung of its own.
package ask

import (
	"context"
	"fmt"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
	"dpverify/number"
)

// A climber raises the effort for the quantities of one question.
type climber struct {
	exact.Question
	Goal
	quantities []Quantity
	answers    []Answer
	open       int // quantities that more effort may help
}

// For encloses quantities of a question, each as accurately as the goal wants it. The end
// of the time is no error: the answers are what was reached.
//
// The error is about the goal or the question, a bug of the engine
// (*exact.InconsistencyError), or ctx's; with ctx's, there are answers too.
func For(ctx context.Context, q exact.Question, g Goal, qs ...Quantity) ([]Answer, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	g.Digits = g.digits()
	if g.MaxMemory > 0 {
		q.MaxMemory = g.MaxMemory
	}
	for _, qu := range qs {
		if qu.scale != nil && (q.Scale == nil || qu.scale.Cmp(q.Scale) < 0) {
			q.Scale = qu.scale
		}
	}
	c := &climber{Question: q, Goal: g, quantities: qs, answers: make([]Answer, len(qs)), open: len(qs)}
	for i := range qs {
		c.answers[i].Enclosure = exact.Enclosure{Interval: qs[i].trivial.interval()}
		c.answers[i].Lacking = errNothing
	}
	if g.Progress == nil {
		c.Progress = func(exact.Effort, int) {}
	}
	limited, cancel := g.Limit(ctx)
	defer cancel()
	d := startFirstAnswers(ctx, limited, c)
	defer d.Stop()
	answers, err := c.climb(ctx, limited, d)
	for i := range answers {
		answers[i].finish(qs[i])
	}
	return answers, err
}

// climb raises the effort for as long as limited lasts.
func (c *climber) climb(ctx, limited context.Context, d *firstAnswers) ([]Answer, error) {
	err := c.ladder().Climb(limited, func(e exact.Effort) (done bool, err error) {
		if c.open > 0 {
			err = c.rung(limited, e)
		}
		return c.open == 0, err
	})
	switch {
	case err == nil:
		return c.answers, nil
	case OutOfTime(ctx, err):
		c.giveUp(fmt.Errorf("the time of %v ended", c.Budget))
		return c.answers, d.into(c)
	case ctx.Err() != nil:
		c.giveUp(errInterrupted)
		if bug := d.into(c); bug != nil {
			return nil, bug
		}
		return c.answers, err
	}
	return nil, err
}

// rung tries one effort for the quantities that are open.
func (c *climber) rung(ctx context.Context, e exact.Effort) error {
	c.Progress(e, c.open)
	if err := ctx.Err(); err != nil {
		return err
	}
	var p *exact.Profile
	for i, q := range c.quantities {
		if c.answers[i].closed() {
			continue
		}
		if q.direct == nil && p == nil {
			var err error
			if p, err = c.Profiles.prepare(ctx, c.Question, e); err != nil {
				return err
			}
		}
		c.Progress(e, c.open)
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := Within(ctx, func(ctx context.Context) (exact.Result, error) {
			if q.direct != nil {
				return q.direct(ctx, c.Question, e)
			}
			return q.ask(ctx, p, c.Digits)
		})
		if err != nil {
			return err
		}
		if err := c.take(i, r, q.direct == nil && p.Tight()); err != nil {
			return err
		}
	}
	return nil
}

// take adopts the answer of a rung to quantity i: what earlier rungs have found
// still holds. Where no method is tight from both sides, more effort helps for as
// long as the enclosure shrinks.
func (c *climber) take(i int, r exact.Result, tight bool) error {
	a, q := &c.answers[i], c.quantities[i]
	before := *a
	y, ok := interval.Intersect(before.Interval, r.Interval)
	if !before.Computed {
		y, ok = interval.Intersect(q.all, r.Interval)
	}
	switch {
	case !ok:
		return c.contradiction(q, before.Result, r)
	case !before.Computed || r.Value != nil || y.Lo().Cmp(before.Lo()) != 0 || y.Hi().Cmp(before.Hi()) != 0:
		a.Result = r
		a.Interval = y
	}
	a.Computed = true
	switch {
	case len(r.Refused) > 0:
		// The first refusal needs least.
		if len(before.Refused) == 0 {
			a.Lacking = &MemoryError{Effort: r.Effort, Refused: r.Refused}
		}
		a.Refused = r.Refused
	case !tight:
		a.Lacking = ErrNotTight
	default:
		a.Lacking = fmt.Errorf("effort %d is not enough", r.Effort)
	}
	if q.settled(a.Enclosure, c.Digits) {
		a.Lacking = nil
	}
	a.ended = !tight && before.Computed && !Shrinks(before.Enclosure, a.Enclosure)
	if a.closed() {
		c.open--
	}
	return nil
}

// contradiction reports that two rungs exclude each other.
func (c *climber) contradiction(q Quantity, first, second exact.Result) error {
	at := "inf"
	if q.x != nil {
		at = number.Format(q.x)
	}
	e := exact.Contradiction(fmt.Sprintf("effort %d", first.Effort), first.Interval, fmt.Sprintf("effort %d", second.Effort), second.Interval)
	e.Product, e.Eps, e.Effort = string(mechanism.EncodeEvent(c.Event)), at, second.Effort
	e.Reproduce = fmt.Sprintf("verify %s %s --relation %s --direction %s --digits %d '%s'",
		q.command, at, c.Relation, c.Direction, c.Digits, mechanism.EncodeEvent(c.Event))
	return e
}

// giveUp gives the reason for every answer that is still open.
func (c *climber) giveUp(reason error) {
	for i := range c.answers {
		a := &c.answers[i]
		switch {
		case a.closed():
		case len(a.Refused) > 0:
			a.Lacking = fmt.Errorf("%w; %w", a.Lacking, reason)
		default:
			a.Lacking = reason
		}
	}
}
