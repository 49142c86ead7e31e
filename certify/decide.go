// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"errors"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/pair"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// Options say how far to go. They are what an [ask.Goal] may cost: a claim is done when it is decided, and wants no
// digits.
type Options struct {
	// Fixed, when set, is the only rung of the ladder that is tried; otherwise the
	// effort rises from 0 until the claim is decided.
	Fixed *exact.Effort
	// Budget stops the climb; 0 means no limit. It never changes a verdict that
	// was reached, only whether one is.
	Budget time.Duration
	// MaxMemory bounds the bytes that one step of a method may take; 0 means no limit.
	MaxMemory int64
	// Sharp asks for δ as sharp as the effort gives it, also where it is far below the claimed one: a claim is otherwise
	// verified then by a bound of little cost.
	Sharp bool
	// DeltaOnly leaves out the least ε at the claimed δ, but where it is what decides.
	DeltaOnly bool
	// Memo is what the decisions about compositions of the same events share, or nil: see exact.Question.
	Memo *exact.Memo
}

// goal is what the options leave to a question that wants digits of a quantity, 0 for the usual ones.
func (o Options) goal(digits int) ask.Goal {
	return ask.Goal{Digits: digits, Fixed: o.Fixed, Budget: o.Budget, MaxMemory: o.MaxMemory}
}

// Truth decides whether a claim is true, also where its event merely repeats it. The
// error is a bug of the engine (*exact.InconsistencyError) or ctx's; everything else
// is in the Outcome. With an error, the Outcome is what had been reached.
//
// The effort climbs a fixed ladder, and the outcome depends on the rung reached
// only.
func Truth(ctx context.Context, c *Claim, o Options) (*Outcome, error) {
	if c == nil {
		return nil, &mechanism.ParamError{Field: "claim", Value: "nothing", Want: "a claim"}
	}
	out := &Outcome{Claim: c, Verdict: Undecided, MaxMemory: o.MaxMemory}
	if c.Err != nil {
		out.Verdict, out.Err = Malformed, c.Err
		return out, nil
	}
	defer func() { out.Notes = slices.Concat(out.Notes, c.notes) }()
	limited, cancel := o.goal(0).Limit(ctx)
	defer cancel()
	d := decision{Outcome: out, ctx: ctx, limited: limited, o: o}
	err := c.check()
	if err == nil {
		err = d.deriveWithin(limited)
	}
	if err == nil {
		err = d.decide()
	}
	return d.finish(err)
}

// A decision is an outcome in the making.
type decision struct {
	*Outcome
	ctx, limited context.Context // the caller's, and what ends with the budget
	o            Options
}

// decide answers the claim.
func (d decision) decide() error {
	if d.Claim.Statement == nil {
		d.Reason = "claims of this form are not decided by this version"
		return checkEvent(d.Claim)
	}
	return d.Claim.Statement.decide(d)
}

// questions returns the questions about the two corner events.
func (d decision) questions() (more, less exact.Question) {
	more, less = d.Claim.questions()
	more.MaxMemory, less.MaxMemory = d.o.MaxMemory, d.o.MaxMemory
	more.Memo, less.Memo = d.o.Memo, d.o.Memo
	return more, less
}

// ladder is the rungs to take for a claim whose last one is given.
func (d decision) ladder(last exact.Effort) ask.Ladder { return ask.UpTo(last).Or(d.o.Fixed) }

// noteGuarantee says what REFUTED means for an event that is a guarantee.
func (d decision) noteGuarantee() {
	if d.Verdict == Refuted && composition.IsGuarantee(d.Claim.LessPrivate) {
		d.Notes = append(d.Notes, guaranteeNote)
	}
}

// guaranteeNote is the note on refuted claims about guarantees.
const guaranteeNote = "the event is a guarantee: refuted means that a mechanism with this guarantee violates the claim"

// splitReason is why a claim about a range of parameters is undecided at every effort.
const splitReason = "the claim is true for some of the events that its rounded numbers stand for, and false for others"

// checkEvent returns an error if the event has no meaning under the relation and
// direction of a claim.
func checkEvent(c *Claim) error {
	p, err := pair.Resolve(c.LessPrivate, c.Relation)
	if err != nil {
		return err
	}
	_, err = p.Profile(c.Direction)
	return err
}

// finish sorts an error of the engine: a question without an answer makes the
// claim malformed, the end of the budget leaves it as it is.
func (d decision) finish(err error) (*Outcome, error) {
	out, ctx := d.Outcome, d.ctx
	var param *mechanism.ParamError
	var relation *pair.RelationError
	var direction *pair.DirectionError
	var unsupported *mechanism.UnsupportedError
	switch {
	case err == nil:
		return out, nil
	case errors.As(err, &param), errors.As(err, &relation), errors.As(err, &direction), errors.As(err, &unsupported):
		c := out.Claim
		return &Outcome{Claim: c, Verdict: Malformed, Err: &ClaimError{File: c.File, Line: c.Line, Claim: c.ID, Err: err}}, nil
	case ask.OutOfTime(ctx, err):
		if out.Verdict == Undecided {
			out.Reason = "the budget ended"
		}
		return out, nil
	case ctx.Err() != nil && out.Verdict == Undecided:
		out.Reason = "interrupted"
	}
	return out, err
}
