// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"errors"
	"time"

	"dpverify/exact"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
)

// drafts are first answers about a claim, computed beside its decision: where the budget
// ends before the first rung has answered, the last of them is what is known.
type drafts struct {
	*efforts.Drafts
	q        pointQuestion
	made     []atClaim        // δ by each draft so far
	searched int              // how many of them have been asked for ε
	least    *exact.Enclosure // of ε, by the last of these
	rung     rung             // what is known
}

// startDrafts begins to make drafts; limited ends with the budget.
func startDrafts(ctx, limited context.Context, q pointQuestion) *drafts {
	d := &drafts{q: q}
	d.Drafts = efforts.StartDrafts(ctx, limited, func(ctx context.Context, draft exact.Draft) error {
		return d.make(ctx, draft)
	})
	return d
}

// make makes one draft of δ. The least ε may take long to search for and decides next to
// nothing: it is left until all drafts of δ are there, but for a moment where the next one is
// waited for anyway.
func (d *drafts) make(ctx context.Context, draft exact.Draft) error {
	p := preparation{0, func(ctx context.Context, q exact.Question) (*exact.Profile, error) {
		return exact.PrepareDraft(ctx, q, draft)
	}}
	a, err := guard.Within(ctx, func(ctx context.Context) (atClaim, error) { return d.q.askDelta(ctx, p) })
	if err != nil {
		return err
	}
	if d.made = append(d.made, a); d.least == nil {
		d.rung = a.rung
	} else if err := d.adopt(a, *d.least); err != nil {
		return err
	}
	switch draft {
	case exact.ByMoments:
		moment, cancel := context.WithTimeout(ctx, epsilonTime)
		defer cancel()
		if err := d.search(moment); ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	case exact.Coarse:
		return d.search(ctx)
	}
	return nil
}

// epsilonTime is for ε before the last draft of δ.
const epsilonTime = 200 * time.Millisecond

// search encloses the least ε by those drafts that have not done so, the fastest first.
func (d *drafts) search(ctx context.Context) error {
	for ; d.searched < len(d.made); d.searched++ {
		a := d.made[d.searched]
		x, err := guard.Within(ctx, func(ctx context.Context) (exact.Enclosure, error) { return a.askEpsilon(ctx) })
		if err != nil {
			return err
		}
		if err := d.adopt(d.made[len(d.made)-1], x); err != nil {
			return err
		}
		d.least = &x
	}
	return nil
}

// adopt takes δ of a draft and the least ε of the same or an earlier one for what is known.
func (d *drafts) adopt(a atClaim, x exact.Enclosure) error {
	r, err := a.complete(x)
	if err == nil {
		d.rung = r
	}
	return err
}

// best returns the last draft that was made before the budget ended. The error is a bug of
// the engine.
func (d *drafts) best() (rung, error) {
	bug := d.Wait()
	guard.Repanic(bug)
	return d.rung, bug
}
