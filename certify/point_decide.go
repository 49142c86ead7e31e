// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/number"
	"dpverify/mechanism"
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

// impliedDigits is about how many digits the ρ has from which a refuted claim follows.
const impliedDigits = 5

// noteRho says of a refuted claim about a ρ-zCDP mechanism from which ρ it would follow: published values are often
// rounded, and this is the rounding that made the claim.
func (d decision) noteRho(p Point) {
	z, ok := d.Claim.LessPrivate.(mechanism.ZCDP)
	if !ok || d.Verdict != Refuted || !mechanism.Equal(d.Claim.LessPrivate, d.Claim.MorePrivate) {
		return
	}
	if rho := impliedRho(d.ctx, d.Claim, z, p); rho != nil {
		d.Notes = append(d.Notes, fmt.Sprintf("the claim follows from ρ = %s", number.Format(rho)))
	}
}

// impliedRho returns a ρ of a few digits at which the claim is proved at the lowest effort, the greatest one but for
// the width of enclosures: δ(ε) rises with ρ. It is nil if there is none above 0, or no time.
func impliedRho(ctx context.Context, c *Claim, z mechanism.ZCDP, p Point) *big.Rat {
	if z.Rho.Sign() == 0 {
		return nil
	}
	// log10(2) is about 3/10: one digit more or less does not matter.
	unit := number.PowerOfTen((z.Rho.Num().BitLen()-z.Rho.Denom().BitLen())*3/10 - impliedDigits)
	_, q := c.questions()
	at := func(k *big.Int) *big.Rat { return new(big.Rat).Mul(unit, new(big.Rat).SetInt(k)) }
	implies := func(k *big.Int) bool {
		q.Event = mechanism.ZCDP{Rho: at(k), Xi: z.Xi}
		r, err := exact.Delta(ctx, q, p.Epsilon, 0)
		return err == nil && r.LessEqRat(p.Delta) == interval.True
	}
	one := big.NewInt(1)
	units := new(big.Rat).Quo(z.Rho, unit)
	lo, hi := new(big.Int), new(big.Int).Quo(units.Num(), units.Denom())
	hi.Add(hi, one)
	for gap := new(big.Int); gap.Sub(hi, lo).Cmp(one) > 0 && ctx.Err() == nil; {
		mid := new(big.Int).Add(lo, hi)
		if mid.Rsh(mid, 1); implies(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo.Sign() == 0 || ctx.Err() != nil {
		return nil
	}
	return at(lo)
}
