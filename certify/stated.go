// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"fmt"
	"slices"

	"dpverify/ask"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// statedNote is the note on claims that are STATED.
const statedNote = "the event states the claim: nothing was verified; put the mechanism in the event's place to test " +
	"the claim"

// Decide answers a claim: STATED if its event merely repeats it, and else as Truth does. The derivation that a claim
// names is computed all the same.
func Decide(ctx context.Context, c *Claim, o Options) (*Outcome, error) {
	if c == nil || c.Err != nil || c.check() != nil || !c.repeats() {
		out, err := Truth(ctx, c, o)
		if err == nil {
			err = out.recount(ctx, o)
		}
		return out, err
	}
	out := &Outcome{Claim: c, Verdict: Stated, Notes: []string{statedNote}}
	d := decision{Outcome: out, ctx: ctx, limited: ctx, o: o}
	if err := checkEvent(c); err != nil {
		return d.finish(err)
	}
	err := d.deriveWithin(ctx)
	if x := out.Derivation; x != nil && x.NotModelled == leastNotReached {
		x.NotModelled = "the least ε is not computed where the event states the claim"
	}
	if err == nil {
		limited, cancel := o.goal(0).Limit(ctx)
		defer cancel()
		err = d.measured(limited)
	}
	return d.finish(err)
}

// repeats reports that the event states the claim outright: it is a guarantee, and the claim is one of the inequalities
// that make it up, or a weaker one. Composition with what has no privacy loss, and the composition or the sample that
// is the event itself, change nothing. What takes a theorem, such as to go from ρ to (ε, δ), to compose two guarantees
// or to sample, is no repetition, and neither is a point between the points of a profile.
//
// Of interval parameters every corner repeats the claim: then all values do, since an inequality with larger numbers is
// weaker.
func (c *Claim) repeats() bool {
	return !slices.ContainsFunc(c.Corners(), func(e mechanism.Event) bool {
		return c.Statement == nil || !repeatedBy(e, c.Statement)
	})
}

// repeatedBy reports whether e is, up to factors without a loss, one copy of a guarantee that states s.
func repeatedBy(e mechanism.Event, s Statement) bool {
	factors, err := composition.Factors(e)
	if err != nil {
		return false
	}
	var lossy, lossless []property
	for _, f := range factors {
		g, ok := f.Event.(mechanism.Guarantee)
		if !ok {
			return len(factors) == 1 && f.Count == 1 && repeatedByWhole(f.Event, s)
		}
		if mechanism.Validate(g) != nil {
			return false
		}
		switch p := (property{g.States()}); {
		case p.holdsOnlyWithoutLoss():
			lossless = append(lossless, p)
		case f.Count > 1 || len(lossy) > 0:
			return false
		default:
			lossy = append(lossy, p)
		}
	}
	if len(lossy) > 0 {
		return s.restates(lossy[0])
	}
	return slices.ContainsFunc(lossless, s.restates)
}

// repeatedByWhole is repeatedBy for an event that takes the whole dataset as its sample.
func repeatedByWhole(e mechanism.Event, s Statement) bool {
	sampled, ok := e.(mechanism.SampledWithoutReplacement)
	return ok && sampled.SampleSize == sampled.SourceDatasetSize && repeatedBy(sampled.Event, s)
}

// recount adds a note where the claim is decided otherwise if an epoch is counted otherwise.
func (o *Outcome) recount(ctx context.Context, options Options) error {
	c := o.Claim
	if c == nil || c.Recounted == nil || o.Verdict != Verified && o.Verdict != Refuted {
		return nil
	}
	other := *c
	other.MorePrivate, other.LessPrivate, other.Derivation = c.Recounted.MorePrivate, c.Recounted.LessPrivate, ""
	other.Measured = nil
	x, err := Truth(ctx, &other, options)
	if err == nil && x.Verdict != o.Verdict {
		o.Notes = append(o.Notes, fmt.Sprintf("with count=ceil, %s, the claim is %s", ask.CountedIn(*c.Recounted).Text,
			x.Verdict))
	}
	return err
}
