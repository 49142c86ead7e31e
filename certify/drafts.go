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
// from a quarter of that time on, and each a little later, because most computations have an
// answer by then. It ends when f fails, when ctx ends, or when limited has, but not before
// the first answers can be there. Where nothing limits the time, no first answer is wanted.
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

// drafts are first answers about a claim, computed beside its decision: where the budget
// ends before the first rung has answered, the last of them is what is known.
type drafts struct {
	cancel context.CancelFunc
	done   chan struct{}

	made     []atClaim        // δ by each draft so far
	searched int              // how many of them have been asked for ε
	least    *exact.Enclosure // of ε, by the last of these

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

// make makes one draft of δ. The least ε may take long to search for and decides next to
// nothing: it is left until all drafts of δ are there, but for a moment where the next one is
// waited for anyway.
func (d *drafts) make(ctx context.Context, draft exact.Draft, c *Claim, o Options) error {
	p := preparation{0, func(ctx context.Context, q exact.Question) (*exact.Profile, error) {
		return exact.PrepareDraft(ctx, q, draft)
	}}
	a, err := Within(ctx, func(ctx context.Context) (atClaim, error) { return askDelta(ctx, c, p, o) })
	if err != nil {
		return err
	}
	if d.made = append(d.made, a); d.least == nil {
		d.rung = a.rung
	} else if err := d.adopt(c, a, *d.least); err != nil {
		return err
	}
	switch draft {
	case exact.ByMoments:
		moment, cancel := context.WithTimeout(ctx, epsilonTime)
		defer cancel()
		if err := d.search(moment, c); ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	case exact.Coarse:
		return d.search(ctx, c)
	}
	return nil
}

// epsilonTime is for ε before the last draft of δ.
const epsilonTime = 200 * time.Millisecond

// search encloses the least ε by those drafts that have not done so, the fastest first.
func (d *drafts) search(ctx context.Context, c *Claim) error {
	for ; d.searched < len(d.made); d.searched++ {
		a := d.made[d.searched]
		x, err := Within(ctx, func(ctx context.Context) (exact.Enclosure, error) { return a.askEpsilon(ctx, c) })
		if err != nil {
			return err
		}
		if err := d.adopt(c, d.made[len(d.made)-1], x); err != nil {
			return err
		}
		d.least = &x
	}
	return nil
}

// adopt takes δ of a draft and the least ε of the same or an earlier one for what is known.
func (d *drafts) adopt(c *Claim, a atClaim, x exact.Enclosure) error {
	r, err := a.complete(c, x)
	if err == nil {
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
