// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package calibrate finds the value of one parameter of a mechanism with which it is
// (ε, δ)-differentially private and gives away the most: the least noise, the most steps.
//
// The values that are tried form a [Template]'s scale, along which privacy is monotone for nearly all events; a
// [Finding] notes where that is not proved. The search goes by estimates, and its border is certified by the exact
// engine: what [Search] calls best is VERIFIED, whatever the estimates were.
package calibrate

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

// A NotEnoughError says that no value is enough, or that none is known to be.
type NotEnoughError string

func (e NotEnoughError) Error() string { return string(e) }

// Search searches for the value. The error is a NotEnoughError, or non-nil if the event is malformed, for a bug of the
// engine, or if ctx has ended.
func Search(ctx context.Context, q Question) (Finding, error) {
	if err := q.check(); err != nil {
		return Finding{}, err
	}
	scale, err := q.scale(q.Digits)
	if err != nil {
		return Finding{}, err
	}
	if q.Progress == nil {
		q.Progress = func(string) {}
	}
	first, err := q.event(scale.at(0))
	if err != nil {
		return Finding{}, err
	}
	b := border{
		size: scale.size, start: scale.start(noiseOf(first.LessPrivate) == gaussianSamples), stride: scale.stride(),
		seems: func(i int64) (estimate, error) {
			x := scale.at(i)
			q.Progress(fmt.Sprintf("%s = %s", q.Field, number.Format(x)))
			return q.estimate(ctx, x)
		},
		decide: func(i int64) (*Candidate, error) {
			x := scale.at(i)
			q.Progress(fmt.Sprintf("certifying %s = %s", q.Field, number.Format(x)))
			o, err := q.decide(ctx, x)
			return &Candidate{scale.format(x), x, o}, err
		},
	}
	monotone := q.monotone(scale)
	i, ok, err := b.guess()
	if err == nil && !ok && !monotone {
		i, ok, err = b.scan(scale.after)
	}
	if err != nil {
		return Finding{}, err
	}
	if !ok {
		i = 0 // estimates prove nothing
	}
	f, err := b.certify(i)
	if err != nil {
		return f, err
	}
	// Estimates may have been wrong; of what ended for the time, more is known with more of it.
	if f.Best == nil && (!ok || f.Next.Outcome.Verdict != certify.Undecided) {
		return Finding{}, q.notEnough(f.Next, monotone)
	}
	if f.Next == nil {
		f.Ended = scale.end
	}
	if !monotone {
		f.Note = fmt.Sprintf("privacy is not proved to be monotone in %s here: values that were not tried may do, too",
			q.Field)
	}
	return f, nil
}

// notEnough says what is known where c, the most private value, is not VERIFIED.
func (q Question) notEnough(c *Candidate, monotone bool) error {
	value, claim := number.Format(c.Value), fmt.Sprintf("δ(%s) ≤ %s", number.Format(q.Epsilon), number.Format(q.Delta))
	switch {
	case !monotone:
		return NotEnoughError(fmt.Sprintf("no %s that was tried is enough for %s; privacy is not proved to be monotone in "+
			"it here, and others may be enough", q.Field, claim))
	case c.Outcome.Verdict == certify.Refuted:
		return NotEnoughError(fmt.Sprintf("no %s is enough: even at %s, the most private value that is tried, δ(%s) is "+
			"above %s", q.Field, value, number.Format(q.Epsilon), number.Format(q.Delta)))
	}
	return NotEnoughError(fmt.Sprintf("no %s is known to be enough: even at %s, the most private value that is tried, "+
		"%s is not decided: %s", q.Field, value, claim, c.Outcome.Reason))
}

// check returns a *mechanism.ParamError for a question that has no answer.
func (q Question) check() error {
	for _, f := range []struct {
		name string
		x    *big.Rat
	}{{"epsilon", q.Epsilon}, {"delta", q.Delta}} {
		switch {
		case f.x == nil:
			return &mechanism.ParamError{Field: f.name, Value: "nothing", Want: "a number >= 0"}
		case f.x.Sign() < 0:
			return &mechanism.ParamError{Field: f.name, Value: number.Format(f.x), Want: "a number >= 0"}
		}
	}
	return argument.Integer("digits", int64(q.Digits), 1, MaxDigits)
}

// decide certifies a value.
func (q Question) decide(ctx context.Context, x *big.Rat) (*certify.Outcome, error) {
	events, err := q.event(x)
	if err != nil {
		return nil, err
	}
	asked := exact.Question{Relation: q.Relation, Direction: q.Direction}
	return certify.Keeps(ctx, events, asked, q.Epsilon, q.Delta, certify.Options{Budget: q.Budget, DeltaOnly: true})
}
