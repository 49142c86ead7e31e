// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"slices"

	"dpverify/ask"
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
	return d.finish(err)
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
