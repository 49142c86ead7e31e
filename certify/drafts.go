package certify

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"dpverify/exact"
)

// draftTime is what drafts may take even if the time for an answer is shorter.
const draftTime = 300 * time.Millisecond

// Drafts calls f for one draft after the other, beside a computation whose time is limited:
// each a little later, because most computations have an answer by then. It ends when f
// fails, when ctx ends, or when limited has, but not before the first answers can be there.
// Where nothing limits the time, no first answer is wanted.
func Drafts(ctx, limited context.Context, f func(context.Context, exact.Draft) error) error {
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
		delay := time.NewTimer(draftDelay(draft))
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

// draftDelay is how long is waited before a draft.
func draftDelay(d exact.Draft) time.Duration {
	switch d {
	case exact.Instant:
		return 50 * time.Millisecond
	case exact.Coarse:
		return 400 * time.Millisecond
	}
	return 0
}

// drafts are first answers about a claim, computed beside its decision: where the budget
// ends before the first rung has answered, the last of them is what is known.
type drafts struct {
	cancel context.CancelFunc
	done   chan struct{}

	// They are set when done is closed.
	rung  rung
	err   error // a bug of the engine
	panic any
}

// startDrafts begins to make drafts; limited ends with the budget.
func startDrafts(ctx, limited context.Context, c *Claim, o Options) *drafts {
	d := &drafts{done: make(chan struct{})}
	ctx, d.cancel = context.WithCancel(ctx)
	go func() {
		defer close(d.done)
		defer func() {
			if v := recover(); v != nil {
				d.panic = fmt.Errorf("%v\n%s", v, debug.Stack())
			}
		}()
		err := Drafts(ctx, limited, func(ctx context.Context, draft exact.Draft) error { return d.make(ctx, draft, c, o) })
		if bug := new(exact.InconsistencyError); errors.As(err, &bug) {
			d.err = err
		}
	}()
	return d
}

// make makes one draft.
func (d *drafts) make(ctx context.Context, draft exact.Draft, c *Claim, o Options) error {
	p := preparation{0, func(ctx context.Context, q exact.Question) (*exact.Profile, error) {
		return exact.PrepareDraft(ctx, q, draft)
	}}
	r, err := Within(ctx, func(ctx context.Context) (rung, error) {
		a, err := askDelta(ctx, c, p, o)
		if err != nil {
			return rung{}, err
		}
		r, err := a.withEpsilon(ctx, c)
		if err != nil && ctx.Err() != nil {
			return a.rung, nil // without the least ε
		}
		return r, err
	})
	if err == nil && (r.epsilon != nil || d.rung.delta == nil) {
		d.rung = r
	}
	return err
}

// stop ends the work on drafts.
func (d *drafts) stop() { d.cancel() }

// best returns the last draft that was made before the budget ended. The error is a bug of
// the engine.
func (d *drafts) best() (rung, error) {
	<-d.done // its context has ended, or ends soon
	if d.panic != nil {
		panic(d.panic)
	}
	return d.rung, d.err
}
