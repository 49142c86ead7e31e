// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"slices"

	"dpverify/ask"
	"dpverify/certify/measured"
	"dpverify/internal/efforts"
	"dpverify/mechanism"
)

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
	if err == nil {
		err = d.measured(limited)
	}
	return d.finish(err)
}

// measured tests the attack of a claim. It adds a note where there is no time for it. Of interval parameters
// the less private corner is tested: what contradicts it, contradicts all.
func (d decision) measured(ctx context.Context) (err error) {
	c := d.Claim
	if c.Measured == nil {
		return nil
	}
	_, less := c.questions()
	p, _ := c.Statement.(Point)
	d.Measured, err = measured.Test(ctx, c.Measured, less, p.Epsilon, p.Delta, d.o.goal(0))
	if efforts.OutOfTime(d.ctx, err) {
		d.Measured, err = nil, nil
		d.Notes = append(d.Notes, "the measurement was not tested: the budget ended")
	}
	return err
}

// decide answers the claim.
func (d decision) decide() error {
	if d.Claim.Statement == nil {
		d.Reason = "claims of this form are not decided by this version"
		return checkEvent(d.Claim)
	}
	return d.Claim.Statement.decide(d)
}

// finish sorts an error of the engine: a question without an answer makes the
// claim malformed, the end of the budget leaves it as it is.
func (d decision) finish(err error) (*Outcome, error) {
	out, ctx := d.Outcome, d.ctx
	switch {
	case err == nil:
		return out, nil
	case ask.NoMeaning(err):
		c := out.Claim
		return &Outcome{Claim: c, Verdict: Malformed, Err: &ClaimError{File: c.File, Line: c.Line, Claim: c.ID,
			Err: err}}, nil
	case efforts.OutOfTime(ctx, err):
		if out.Verdict == Undecided {
			out.Reason = "the budget ended"
		}
		return out, nil
	case ctx.Err() != nil && out.Verdict == Undecided:
		out.Reason = "interrupted"
	}
	return out, err
}
