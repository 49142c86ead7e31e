// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"dpverify/exact"
	"dpverify/internal/efforts"
)

// decide raises the effort until the enclosure of δ at the claimed ε tells.
func (p Point) decide(d decision) error {
	q := pointQuestion{Point: p, sharp: d.o.Sharp, deltaOnly: d.o.DeltaOnly}
	q.more, q.less = d.questions()
	drafts := startDrafts(d.ctx, d.limited, q)
	defer drafts.Stop()
	if err := d.ladder(exact.MaxEffort).Climb(d.limited, func(e exact.Effort) (bool, error) {
		before := d.Delta
		r, err := q.at(d.limited, e)
		d.take(r)
		stalled := err == nil && !r.tight && before != nil && !efforts.Shrinks(*before, *r.delta)
		return d.Verdict != Undecided || r.split || stalled, err
	}); err != nil {
		if d.Epsilon == nil && d.limited.Err() != nil {
			if bug := d.takeDraft(drafts, p); bug != nil {
				err = bug
			}
		}
		d.o.Fixed = &d.Effort
		_ = d.deriveLeast(p) // by what there is
		return err
	}
	if err := d.deriveLeast(p); err != nil {
		return err
	}
	d.noteGuarantee()
	d.noteRho(p)
	return nil
}

// take adopts what a rung has found. An enclosure of an earlier rung stays where
// the later one was cut short, or had to leave out a method for the memory that it
// needs and decided nothing.
func (d decision) take(r rung) {
	if d.Delta != nil && r.delta != nil && r.verdict == Undecided && len(r.refused) > 0 {
		d.Reason = r.reason()
		return
	}
	if r.delta != nil {
		d.Verdict, d.Reason = r.verdict, r.reason()
		d.Delta, d.Methods, d.Effort = r.delta, r.methods, r.effort
		d.Notes = append([]string(nil), r.notes...)
	}
	if r.epsilon != nil {
		d.Epsilon = r.epsilon
	}
}

// draftNote is the note on claims that a first answer decides.
const draftNote = "decided by a first answer when the budget ended; a larger one gives sharper enclosures and a " +
	"certificate"

// takeDraft adopts what drafts have found, where no rung has. The error is a bug of the
// engine.
func (d decision) takeDraft(first *drafts, p Point) error {
	r, err := first.best()
	switch {
	case err != nil:
		return err
	case d.Delta == nil:
		d.take(r)
		if d.draft = d.Verdict != Undecided; d.draft {
			d.Notes = append(d.Notes, draftNote)
		}
	case r.epsilon != nil:
		d.Epsilon = boundEpsilon(*r.epsilon, d.Verdict, p.Epsilon, r.effort)
	}
	return nil
}
