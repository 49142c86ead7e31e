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
// limited ends with: after a second and a few, or a quarter of that time if this is less, because
// most computations have an answer by then; the draft that takes longest after a quarter of that
// time, and not at all where nothing limits it. So there is an answer where somebody interrupts. The
// work ends when f fails, when ctx ends, or when limited has, but not before the first answers can be there.
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

const (
	draftTime = 300 * time.Millisecond // what drafts may take even if the time for an answer is shorter
	patience  = time.Second            // how long no first answer is wanted
)

// drafts calls f for one draft after the other.
func drafts(ctx, limited context.Context, f func(context.Context, exact.Draft) error) error {
	started := time.Now()
	end, ends := limited.Deadline()
	if ends {
		if least := started.Add(draftTime); end.Before(least) {
			end = least
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	quarter := end.Sub(started) / 4
	for _, draft := range exact.Drafts {
		wait := patience
		if draft == exact.ByMoments {
			wait = 5 * patience // it is some tenths of a second
		}
		switch {
		case ends && draft == exact.Coarse:
			wait = quarter + 400*time.Millisecond
		case ends:
			wait = min(wait, quarter)
		case draft == exact.Coarse:
			return nil // it takes as long as an answer
		}
		delay := time.NewTimer(time.Until(started.Add(wait)))
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
