// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
)

// firstAnswers are drafts of the answers of a climb.
type firstAnswers struct {
	*efforts.Drafts
	results []exact.Result
	made    []bool
}

// startFirstAnswers begins to make drafts for a climber; limited ends with its time.
func startFirstAnswers(ctx, limited context.Context, c *climber) *firstAnswers {
	n := len(c.quantities)
	d := &firstAnswers{results: make([]exact.Result, n), made: make([]bool, n)}
	d.Drafts = efforts.StartDrafts(ctx, limited, func(ctx context.Context, draft exact.Draft) error {
		return d.make(ctx, draft, c)
	})
	return d
}

// make makes one draft of all quantities.
func (d *firstAnswers) make(ctx context.Context, draft exact.Draft, c *climber) error {
	var p *exact.Profile
	for i, q := range c.quantities {
		if q.ask == nil {
			continue
		}
		r, err := guard.Within(ctx, func(ctx context.Context) (_ exact.Result, err error) {
			if p == nil {
				if p, err = exact.PrepareDraft(ctx, c.Question, draft); err != nil {
					return exact.Result{}, err
				}
			}
			return q.ask(ctx, p, c.Digits)
		})
		if err == nil {
			err = d.take(c, i, r)
		}
		if err != nil {
			return err
		}
		c.known(i, d.results[i].Interval)
	}
	return nil
}

// take adopts a result: what an earlier draft has found still holds.
func (d *firstAnswers) take(c *climber, i int, r exact.Result) error {
	if d.made[i] {
		y, ok := interval.Intersect(d.results[i].Interval, r.Interval)
		if !ok {
			return c.contradiction(c.quantities[i], d.results[i], r)
		}
		r.Interval = y
	}
	d.results[i], d.made[i] = r, true
	return nil
}

// into gives a climber whose time has ended the drafts of what it has not answered. The
// error is a bug of the engine.
func (d *firstAnswers) into(c *climber) error {
	bug := d.Wait()
	for i := range c.answers {
		if a := &c.answers[i]; !a.Computed && d.made[i] {
			a.Result = d.results[i]
			if c.quantities[i].settled(a.Enclosure, c.Digits) {
				a.Lacking = nil
			}
		}
	}
	return bug
}
