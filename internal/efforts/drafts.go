// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"context"
	"time"

	"dpverify/exact"
	"dpverify/internal/guard"
)

// Drafts is work on first answers beside a climb: where its time ends before its first rung
// has answered, they are what is known. They change nothing else.
type Drafts struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // set when done is closed
}

// StartDrafts begins to call f with one draft after the other, beside a climb whose time
// limited ends with: from a quarter of that time on, and each a little later, because most
// computations have an answer by then. It ends when f fails, when ctx ends, or when limited
// has, but not before the first answers can be there. Where nothing limits the time, no
// first answer is wanted.
func StartDrafts(ctx, limited context.Context, f func(context.Context, exact.Draft) error) *Drafts {
	d := &Drafts{done: make(chan struct{})}
	ctx, d.cancel = context.WithCancel(ctx)
	go func() {
		defer close(d.done)
		d.err = guard.Run(func() error { return drafts(ctx, limited, f) })
	}()
	return d
}

// Stop ends the work on drafts.
func (d *Drafts) Stop() { d.cancel() }

// Wait waits for the end of the work on drafts: its context has ended, or ends soon. The
// error is a bug of the engine, an *exact.InconsistencyError or a *guard.PanicError.
func (d *Drafts) Wait() error {
	<-d.done
	if guard.IsBug(d.err) {
		return d.err
	}
	return nil
}

// draftTime is what drafts may take even if the time for an answer is shorter.
const draftTime = 300 * time.Millisecond

// drafts calls f for one draft after the other.
func drafts(ctx, limited context.Context, f func(context.Context, exact.Draft) error) error {
	end, ok := limited.Deadline()
	if !ok {
		return nil
	}
	if least := time.Now().Add(draftTime); end.Before(least) {
		end = least
	}
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for _, draft := range exact.Drafts {
		wait := draftDelay(draft)
		if draft == exact.Instant {
			wait = time.Until(end) / 4
		}
		delay := time.NewTimer(wait)
		select {
		case <-delay.C:
		case <-limited.Done():
		case <-ctx.Done():
		}
		delay.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(ctx, draft); err != nil {
			return err
		}
	}
	return nil
}

// draftDelay is how long is waited between a draft and the one before.
func draftDelay(d exact.Draft) time.Duration {
	if d == exact.Coarse {
		return 400 * time.Millisecond
	}
	return 0
}
