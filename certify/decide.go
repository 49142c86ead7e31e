package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
	"dpverify/number"
)

// Options say how far to go.
type Options struct {
	// Fixed, when set, is the only rung of the ladder that is tried; otherwise the
	// effort rises from 0 until the claim is decided.
	Fixed *exact.Effort
	// Budget stops the climb; 0 means no limit. It never changes a verdict that
	// was reached, only whether one is.
	Budget time.Duration
	// MaxMemory bounds the bytes that one step of a method may take; 0 means no limit.
	MaxMemory int64
}

// epsilonBits is how many leading bits of ε(δ) are settled for the report.
const epsilonBits = 40

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
	limited, cancel := ask.Goal{Budget: o.Budget}.Limit(ctx)
	defer cancel()
	if err := out.deriveWithin(limited, o.Budget); err != nil {
		return out.finish(ctx, err)
	}
	switch s := c.Statement; {
	case s.Rho != nil, s.Renyi != nil:
		return out.decideDivergence(ctx, limited, o)
	case s.Losses != nil:
		return out.decideDomination(ctx, limited, o)
	case s.Epsilon == nil:
		out.Reason = "claims of this form are not decided by this version"
		return out.finish(ctx, checkEvent(c))
	}
	d := startDrafts(ctx, limited, c, o)
	defer d.Stop()
	if err := ask.UpTo(exact.MaxEffort).Or(o.Fixed).Climb(limited, func(e exact.Effort) (bool, error) {
		before := out.Delta
		r, err := climb(limited, c, e, o)
		out.take(r)
		stalled := err == nil && !r.tight && before != nil && !ask.Shrinks(*before, *r.delta)
		return out.Verdict != Undecided || r.split || stalled, err
	}); err != nil {
		if out.Epsilon == nil && limited.Err() != nil {
			if bug := out.takeDraft(d); bug != nil {
				err = bug
			}
		}
		_ = out.deriveLeast(ctx, Options{Fixed: &out.Effort}) // by what there is
		return out.finish(ctx, err)
	}
	if err := out.deriveLeast(ctx, o); err != nil {
		return out.finish(ctx, err)
	}
	if out.Verdict == Refuted && mechanism.IsGuarantee(c.LessPrivate) {
		out.Notes = append(out.Notes, guaranteeNote)
	}
	return out, nil
}

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

// take adopts what a rung has found. An enclosure of an earlier rung stays where
// the later one was cut short, or had to leave out a method for the memory that it
// needs and decided nothing.
func (out *Outcome) take(r rung) {
	if out.Delta != nil && r.delta != nil && r.verdict == Undecided && len(r.refused) > 0 {
		out.Reason = r.reason()
		return
	}
	if r.delta != nil {
		out.Verdict, out.Reason = r.verdict, r.reason()
		out.Delta, out.Methods, out.Effort = r.delta, r.methods, r.effort
		out.Notes = append([]string(nil), r.notes...)
	}
	if r.epsilon != nil {
		out.Epsilon = r.epsilon
	}
}

// draftNote is the note on claims that a first answer decides.
const draftNote = "decided by a first answer when the budget ended; a larger one gives sharper enclosures and a certificate"

// takeDraft adopts what drafts have found, where no rung has. The error is a bug of the
// engine.
func (out *Outcome) takeDraft(d *drafts) error {
	r, err := d.best()
	switch {
	case err != nil:
		return err
	case out.Delta == nil:
		out.take(r)
		if out.draft = out.Verdict != Undecided; out.draft {
			out.Notes = append(out.Notes, draftNote)
		}
	case r.epsilon != nil:
		out.Epsilon = boundEpsilon(*r.epsilon, out.Verdict, out.Claim.Statement.Epsilon, r.effort)
	}
	return nil
}

// finish sorts an error of the engine: a question without an answer makes the
// claim malformed, the end of the budget leaves it as it is.
func (out *Outcome) finish(ctx context.Context, err error) (*Outcome, error) {
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

// A rung is what one effort says about a claim.
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
		return (&ask.MemoryError{Effort: r.effort, Refused: r.refused}).Error()
	case !r.tight:
		return ask.ErrNotTight.Error()
	}
	return fmt.Sprintf("the enclosure of δ at effort %d contains the claimed value", r.effort)
}

// climb asks about a claim at one effort. With an error, the rung holds what had
// been found.
func climb(ctx context.Context, c *Claim, e exact.Effort, o Options) (rung, error) {
	if err := ctx.Err(); err != nil {
		return rung{}, err
	}
	a, err := ask.Within(ctx, func(ctx context.Context) (atClaim, error) { return askDelta(ctx, c, at(e), o) })
	if err != nil {
		return a.rung, err
	}
	return a.withEpsilon(ctx, c)
}

// withEpsilon completes a rung by the least ε.
func (a atClaim) withEpsilon(ctx context.Context, c *Claim) (rung, error) {
	x, err := ask.Within(ctx, func(ctx context.Context) (exact.Enclosure, error) { return a.askEpsilon(ctx, c) })
	if err != nil {
		return a.rung, err
	}
	return a.complete(c, x)
}

// complete is the rung with x, an enclosure of the least ε.
func (a atClaim) complete(c *Claim, x exact.Enclosure) (rung, error) {
	a.byLeastEpsilon(c, x)
	r := a.rung
	if r.epsilon = boundEpsilon(x, r.verdict, c.Statement.Epsilon, r.effort); r.epsilon == nil {
		return r, contradiction(c, r, x)
	}
	return r, nil
}

// atClaim is a rung whose δ is known, and the profiles of the two corners; they
// are the same where there are no interval parameters.
type atClaim struct {
	rung
	more, less *exact.Profile
}

// A preparation prepares the profiles of a rung.
type preparation struct {
	effort  exact.Effort
	prepare func(context.Context, exact.Question) (*exact.Profile, error)
}

// at prepares by all methods of an effort.
func at(e exact.Effort) preparation {
	return preparation{e, func(ctx context.Context, q exact.Question) (*exact.Profile, error) { return exact.Prepare(ctx, q, e) }}
}

// askDelta encloses δ at the claimed ε and compares it with the claimed δ.
func askDelta(ctx context.Context, c *Claim, p preparation, o Options) (atClaim, error) {
	a := atClaim{rung: rung{effort: p.effort, verdict: Undecided}}
	more, less := c.questions()
	more.MaxMemory, less.MaxMemory = o.MaxMemory, o.MaxMemory
	var err error
	if a.less, err = p.prepare(ctx, less); err != nil {
		return a, err
	}
	a.more = a.less
	if !mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		if a.more, err = p.prepare(ctx, more); err != nil {
			return a, err
		}
	}
	a.tight = a.more.Tight() && a.less.Tight()
	s := c.Statement
	worst, err := a.less.Delta(ctx, s.Epsilon)
	if err != nil {
		return a, err
	}
	best := worst
	if a.more != a.less {
		if best, err = a.more.Delta(ctx, s.Epsilon); err != nil {
			return a, err
		}
	}
	d := best.Enclosure.Union(worst.Enclosure)
	a.delta, a.methods, a.notes, a.refused = &d, worst.Methods, worst.Notes, worst.Refused
	switch isTrue, isFalse := worst.LessEqRat(s.Delta), best.LessEqRat(s.Delta).Not(); {
	case isTrue == interval.True:
		a.verdict = Verified
	case isFalse == interval.True:
		a.verdict = Refuted
	default:
		a.split = isTrue == interval.False && isFalse == interval.False
	}
	return a, nil
}

// byLeastEpsilon decides a claim with δ = 0 that the enclosure of δ leaves open by x, which
// encloses the least ε there, the largest loss: as δ(ε) is continuous and does not grow, the
// claim is true from that ε on and false below it. The enclosure of a tiny δ(ε) below may reach
// down to 0 at every effort.
func (a *atClaim) byLeastEpsilon(c *Claim, x exact.Enclosure) {
	if a.verdict != Undecided || a.more != a.less || c.Statement.Delta.Sign() != 0 {
		return
	}
	switch x.LessEqRat(c.Statement.Epsilon) {
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
func (a atClaim) askEpsilon(ctx context.Context, c *Claim) (exact.Enclosure, error) {
	r, err := a.less.Epsilon(ctx, c.Statement.Delta, epsilonBits)
	if err != nil || a.more == a.less {
		return r.Enclosure, err
	}
	other, err := a.more.Epsilon(ctx, c.Statement.Delta, epsilonBits)
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
func contradiction(c *Claim, r rung, x exact.Enclosure) error {
	s := c.Statement
	e := ask.Contradiction("δ at the claimed ε", r.delta.Interval, "the least ε at the claimed δ", x.Interval)
	e.Eps, e.Effort = s.Epsilon.RatString(), r.effort
	e.Reproduce = fmt.Sprintf("verify epsilon --effort %d --relation %s --direction %s --delta %s '%s'",
		r.effort, c.Relation, c.Direction, number.Format(s.Delta), mechanism.EncodeEvent(c.LessPrivate))
	return e
}
