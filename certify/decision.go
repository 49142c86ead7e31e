// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/internal/efforts"
	"dpverify/mechanism/composition"
)

// questions returns the questions about the two corner events.
func (d decision) questions() (more, less exact.Question) {
	more, less = d.Claim.questions()
	more.MaxMemory, less.MaxMemory = d.o.MaxMemory, d.o.MaxMemory
	more.Memo, less.Memo = d.o.Memo, d.o.Memo
	return more, less
}

// ladder is the rungs to take for a claim whose last one is given.
func (d decision) ladder(last exact.Effort) efforts.Ladder { return efforts.UpTo(last).Or(d.o.Fixed) }

// noteGuarantee says what REFUTED means for an event that is a guarantee.
func (d decision) noteGuarantee() {
	if d.Verdict == Refuted && composition.IsGuarantee(d.Claim.LessPrivate) {
		d.Notes = append(d.Notes, guaranteeNote)
	}
}

// guaranteeNote is the note on refuted claims about guarantees.
const guaranteeNote = "only a guarantee is given: refuted means that some mechanism with it violates the claim"

// splitReason is why a claim about a range of parameters is undecided at every effort.
const splitReason = "the claim is true for some of the events that its rounded numbers stand for, and false for others"

// checkEvent returns an error if the event has no meaning under the relation and
// direction of a claim.
func checkEvent(c *Claim) error {
	p, err := meaning.Resolve(c.LessPrivate, c.Relation)
	if err != nil {
		return err
	}
	_, err = p.Profile(c.Direction)
	return err
}
