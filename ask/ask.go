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
// Whoever decides something else by enclosures climbs a [efforts.Ladder] with a rung of its own.
package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

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
	defer c.end()
	answers, err := c.climb(ctx, limited, d)
	for i := range answers {
		answers[i].finish(qs[i])
	}
	return answers, err
}

// climb raises the effort for as long as limited lasts.
func (c *climber) climb(ctx, limited context.Context, d *firstAnswers) ([]Answer, error) {
	err := c.ladder().Climb(limited, func(e exact.Effort) (done bool, err error) {
		if c.open > 0 && e >= c.enough {
			err = c.rung(limited, e)
		}
		return c.open == 0, err
	})
	switch {
	case err == nil:
		return c.answers, nil
	case efforts.OutOfTime(ctx, err):
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

// NoMeaning reports whether an error is about a question: it has no meaning, or none that this version knows.
func NoMeaning(err error) bool {
	return is[*mechanism.ParamError](err) || is[*mechanism.UnsupportedError](err) || is[*number.Error](err) ||
		is[*meaning.RelationError](err) || is[*meaning.DirectionError](err)
}

// is reports whether an error is of a type, or wraps one that is.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Range is For for a range of events, of which it answers for all: the enclosures are the
// hulls of what holds for its two ends, between which all quantities are monotone. The
// event of q is not used.
func Range(ctx context.Context, q exact.Question, r mechanism.Range, g Goal, qs ...Quantity) ([]Answer, error) {
	q.Event = r.LessPrivate
	if r.IsOne() {
		return For(ctx, q, g, qs...)
	}
	g.Known = nil // of one end only
	more, quiet := q, g
	more.Event = r.MorePrivate
	quiet.Progress, quiet.Profiles = nil, nil
	var others []Answer
	var otherErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		otherErr = guard.Run(func() (err error) {
			others, err = For(ctx, more, quiet, qs...)
			return err
		})
	}()
	answers, err := For(ctx, q, g, qs...)
	<-done
	switch {
	case answers == nil:
		return nil, err
	case others == nil:
		return nil, otherErr
	case err == nil:
		err = otherErr
	}
	for i := range answers {
		answers[i] = answers[i].hull(others[i], g.digits(), qs[i])
		if r.Reason != "" && errors.Is(answers[i].Lacking, errRounded) {
			answers[i].Lacking = errApart
		}
		answers[i].Notes = slices.Concat(answers[i].Notes, r.Notes())
	}
	return answers, err
}
