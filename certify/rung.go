// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// epsilonBits is how many leading bits of ε(δ) are settled for the report.
const epsilonBits = 40

// A rung is the answer of one effort to a claim.
type rung struct {
	effort         exact.Effort
	verdict        Verdict
	split          bool // true of some interval parameters and false of others
	tight          bool // more effort can help without limit
	delta, epsilon *exact.Enclosure
	methods, notes []string
	refused        []exact.Refusal
}

// reason says why the claim is undecided at this rung.
func (r *rung) reason() string {
	switch {
	case r.verdict != Undecided:
		return ""
	case r.split:
		return splitReason
	case len(r.refused) > 0:
		return (&efforts.MemoryError{Effort: r.effort, Refused: r.refused}).Error()
	case !r.tight:
		return ask.ErrNotTight.Error()
	}
	return fmt.Sprintf("the enclosure of δ at effort %d contains the claimed value", r.effort)
}

// A pointQuestion is a claim (ε, δ) as the engine is asked about it.
type pointQuestion struct {
	Point
	more, less exact.Question // about the two corners
	sharp      bool           // δ is wanted as sharp as the effort gives it, also where it is far below the claimed one
	deltaOnly  bool           // the least ε at the claimed δ is not wanted
}

// at asks at one effort. With an error, it holds what had been found.
func (q pointQuestion) at(ctx context.Context, e exact.Effort) (rung, error) {
	if err := ctx.Err(); err != nil {
		return rung{}, err
	}
	a, err := guard.Within(ctx, func(ctx context.Context) (atClaim, error) { return q.askDelta(ctx, allMethods(e)) })
	if err != nil {
		return a.rung, err
	}
	return a.withEpsilon(ctx)
}

// withEpsilon completes a rung by the least ε.
func (a atClaim) withEpsilon(ctx context.Context) (rung, error) {
	if a.q.deltaOnly && a.verdict != Undecided {
		return a.rung, nil
	}
	x, err := guard.Within(ctx, func(ctx context.Context) (exact.Enclosure, error) { return a.askEpsilon(ctx) })
	if err != nil {
		return a.rung, err
	}
	return a.complete(x)
}

// complete is the rung with x, an enclosure of the least ε.
func (a atClaim) complete(x exact.Enclosure) (rung, error) {
	a.byLeastEpsilon(x)
	r := a.rung
	if r.epsilon = boundEpsilon(x, r.verdict, a.q.Epsilon, r.effort); r.epsilon == nil {
		return r, a.q.contradiction(r, x)
	}
	return r, nil
}

// atClaim is a rung whose δ is known, and the profiles of the two corners; they
// are the same where there are no interval parameters.
type atClaim struct {
	rung
	q          pointQuestion
	more, less *exact.Profile
}

// A preparation prepares the profiles of a rung.
type preparation struct {
	effort  exact.Effort
	prepare func(context.Context, exact.Question) (*exact.Profile, error)
}

// allMethods prepares by all methods of an effort.
func allMethods(e exact.Effort) preparation {
	return preparation{e, func(ctx context.Context, q exact.Question) (*exact.Profile, error) {
		return exact.Prepare(ctx, q, e)
	}}
}

// askDelta encloses δ at the claimed ε and compares it with the claimed δ.
func (q pointQuestion) askDelta(ctx context.Context, p preparation) (atClaim, error) {
	a := atClaim{q: q, rung: rung{effort: p.effort, verdict: Undecided}}
	var err error
	if a.less, err = p.prepare(ctx, q.less); err != nil {
		return a, err
	}
	a.more = a.less
	if !mechanism.Equal(q.more.Event, q.less.Event) {
		if a.more, err = p.prepare(ctx, q.more); err != nil {
			return a, err
		}
	}
	a.tight = a.more.Tight() && a.less.Tight()
	if !q.sharp {
		// What is true of the least private event is true of the others, whose δ is between 0 and its.
		if far, ok := a.less.FarBelow(q.Epsilon, q.Delta); ok {
			a.delta, a.methods, a.notes, a.refused = &far.Enclosure, far.Methods, far.Notes, far.Refused
			a.verdict = Verified
			return a, nil
		}
	}
	worst, err := a.less.Delta(ctx, q.Epsilon)
	if err != nil {
		return a, err
	}
	best := worst
	if a.more != a.less {
		if best, err = a.more.Delta(ctx, q.Epsilon); err != nil {
			return a, err
		}
	}
	a.delta, a.methods = new(best.Enclosure.Union(worst.Enclosure)), worst.Methods
	a.notes, a.refused = worst.Notes, worst.Refused
	a.verdict, a.split = compared(worst.LessEqRat(q.Delta), best.LessEqRat(q.Delta))
	return a, nil
}

// byLeastEpsilon decides a claim with δ = 0 that the enclosure of δ leaves open by x, which
// encloses the least ε there, the largest loss: as δ(ε) is continuous and does not grow, the
// claim is true from that ε on and false below it. The enclosure of a tiny δ(ε) below may reach
// down to 0 at every effort.
func (a *atClaim) byLeastEpsilon(x exact.Enclosure) {
	if a.verdict != Undecided || a.more != a.less || a.q.Delta.Sign() != 0 {
		return
	}
	switch x.LessEqRat(a.q.Epsilon) {
	case interval.True:
		a.verdict = Verified
	case interval.False:
		a.verdict = Refuted
	default:
		return
	}
	a.notes = append(slices.Clone(a.notes), leastNote)
}

// leastNote is the note on claims that the enclosure of δ does not decide.
const leastNote = "decided by the least ε at δ = 0; the enclosure of δ contains 0"

// askEpsilon encloses the least ε at the claimed δ.
func (a atClaim) askEpsilon(ctx context.Context) (exact.Enclosure, error) {
	r, err := a.less.Epsilon(ctx, a.q.Delta, epsilonBits)
	if err != nil || a.more == a.less {
		return r.Enclosure, err
	}
	other, err := a.more.Epsilon(ctx, a.q.Delta, epsilonBits)
	return r.Enclosure.Union(other.Enclosure), err
}

// boundEpsilon returns the part of x, an enclosure of the least ε at the claimed
// δ, that a verdict leaves: δ(ε) does not grow with ε, so the least ε is at most
// the claimed one if the claim is true and at least that if it is false. It
// returns nil if nothing is left.
func boundEpsilon(x exact.Enclosure, v Verdict, claimed *big.Rat, e exact.Effort) *exact.Enclosure {
	y, ok, p := x, true, e.Bits()+64
	switch v {
	case Verified:
		y, ok = x.AtMost(claimed, p)
	case Refuted:
		y, ok = x.AtLeast(claimed, p)
	}
	if !ok {
		return nil
	}
	return &y
}

// contradiction reports that the engine's answers about δ and about ε exclude
// each other.
func (q pointQuestion) contradiction(r rung, x exact.Enclosure) error {
	e := exact.Contradiction("δ at the claimed ε", r.delta.Interval, "the least ε at the claimed δ", x.Interval)
	e.Eps, e.Effort = q.Epsilon.RatString(), r.effort
	e.Reproduce = fmt.Sprintf("verify epsilon --effort %d --relation %s --direction %s --delta %s '%s'",
		r.effort, q.less.Relation, q.less.Direction, number.Format(q.Delta), mechanism.EncodeEvent(q.less.Event))
	return e
}

// compared decides a statement that fails the more easily the less private an event is, by its truth at the two ends
// of a range of events: worst is of the least private one, best of the most private one. It is verified if it
// holds at the worst, and refuted if it fails at the best; split says that it holds for some events of the range and
// for others it does not, which no effort changes.
func compared(worst, best interval.Truth) (v Verdict, split bool) {
	switch {
	case worst == interval.True:
		return Verified, false
	case best == interval.False:
		return Refuted, false
	}
	return Undecided, worst == interval.False && best == interval.True
}

// questions returns the questions about the two corner events.
func (c *Claim) questions() (more, less exact.Question) {
	q := exact.Question{Relation: c.Relation, Direction: c.Direction}
	if p, ok := c.Statement.(Point); ok {
		q.Scale = p.Delta
	}
	more, less = q, q
	more.Event, less.Event = c.MorePrivate, c.LessPrivate
	return more, less
}

// questions returns the questions about the two corner events, with what they may cost.
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
