package main

import (
	"context"
	"errors"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
)

// drafts are first answers to the questions of a climb, computed beside it: where its time
// ends before its first rung has answered, they are what is known. They change nothing else.
type drafts struct {
	cancel context.CancelFunc
	done   chan struct{}

	// They are set when done is closed.
	results []exact.Result
	made    []bool
	err     error // a bug of the engine
}

// startDrafts begins to make drafts for a climber; limited ends with its time.
func startDrafts(ctx, limited context.Context, c *climber) *drafts {
	n := len(c.quantities)
	d := &drafts{done: make(chan struct{}), results: make([]exact.Result, n), made: make([]bool, n)}
	ctx, d.cancel = context.WithCancel(ctx)
	go func() {
		defer close(d.done)
		err := guard(func() error {
			return certify.Drafts(ctx, limited, func(ctx context.Context, draft exact.Draft) error { return d.make(ctx, draft, c) })
		})
		if bug := new(exact.InconsistencyError); errors.As(err, &bug) || errors.As(err, new(*panicError)) {
			d.err = err
		}
	}()
	return d
}

// make makes one draft of all quantities.
func (d *drafts) make(ctx context.Context, draft exact.Draft, c *climber) error {
	var p *exact.Profile
	for i, q := range c.quantities {
		if q.ask == nil {
			continue
		}
		r, err := certify.Within(ctx, func(ctx context.Context) (_ exact.Result, err error) {
			if p == nil {
				if p, err = exact.PrepareDraft(ctx, c.Question, draft); err != nil {
					return exact.Result{}, err
				}
			}
			return q.ask(ctx, p)
		})
		if err == nil {
			err = d.take(c, i, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take adopts a result: what an earlier draft has found holds, too.
func (d *drafts) take(c *climber, i int, r exact.Result) error {
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

// stop ends the work on drafts.
func (d *drafts) stop() { d.cancel() }

// into gives a climber whose time has ended the drafts of what it has not answered. The
// error is a bug of the engine.
func (d *drafts) into(c *climber) error {
	<-d.done // its context has ended, or ends soon
	for i := range c.answers {
		if a := &c.answers[i]; !a.computed && d.made[i] {
			a.Result = d.results[i]
			a.complete = accurate(a.Enclosure, c.digits, c.quantities[i].floor)
			if a.complete {
				a.reason = ""
			}
		}
	}
	return d.err
}
