// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"fmt"
	"sync"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A climber raises the effort for the quantities of one question.
type climber struct {
	exact.Question
	Goal
	quantities []Quantity
	answers    []Answer
	open       int          // quantities that more effort may help
	enough     exact.Effort // the least that may do
	telling    sync.Mutex
	over       bool // nothing is told any more
}

// rung tries one effort for the quantities that are open.
func (c *climber) rung(ctx context.Context, e exact.Effort) error {
	c.Progress(e, c.open)
	if err := ctx.Err(); err != nil {
		return err
	}
	var p *exact.Profile
	for i, q := range c.quantities {
		if c.answers[i].closed() {
			continue
		}
		if q.direct == nil && p == nil {
			var err error
			if p, err = c.Profiles.prepare(ctx, c.Question, e); err != nil {
				return err
			}
		}
		c.Progress(e, c.open)
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) {
			if q.direct != nil {
				return q.direct(ctx, c.Question, e, c.Digits)
			}
			return q.ask(ctx, p, c.Digits)
		})
		if err != nil {
			return err
		}
		if err := c.take(i, r, q.direct == nil && p.Tight(), p != nil && p.Slow()); err != nil {
			return err
		}
	}
	if p != nil && c.ladder().Last > e {
		const spare = 8 // of the bits of digits
		c.enough = p.Enough(exact.DigitBits(c.Digits) - spare)
	}
	return nil
}

// take adopts the answer of a rung to quantity i: what earlier rungs have found
// still holds. Where no method is tight from both sides, more effort helps for as
// long as the enclosure shrinks. Where each rung costs several times as much as the one
// before, only the last few digits are worth it.
func (c *climber) take(i int, r exact.Result, tight, slow bool) error {
	a, q := &c.answers[i], c.quantities[i]
	before := *a
	y, ok := interval.Intersect(before.Interval, r.Interval)
	if !before.Computed {
		y, ok = interval.Intersect(q.all, r.Interval)
	}
	switch {
	case !ok:
		return c.contradiction(q, before.Result, r)
	case !before.Computed || r.Value != nil || y.Lo().Cmp(before.Lo()) != 0 || y.Hi().Cmp(before.Hi()) != 0:
		a.Result = r
		a.Interval = y
	}
	a.Computed = true
	c.known(i, a.Interval)
	switch {
	case len(r.Refused) > 0:
		// The first refusal needs least.
		if len(before.Refused) == 0 {
			a.Lacking = &efforts.MemoryError{Effort: r.Effort, Refused: r.Refused}
		}
		a.Refused = r.Refused
	case !tight:
		a.Lacking = ErrNotTight
	default:
		a.Lacking = fmt.Errorf("effort %d is not enough", r.Effort)
	}
	few := fewDigits
	if !tight {
		few--
	}
	if a.ended = slow && !q.settled(a.Enclosure, max(c.Digits-few, 1)); a.ended && tight && len(r.Refused) == 0 {
		a.Lacking = errSlow
	}
	if q.settled(a.Enclosure, c.Digits) {
		a.Lacking = nil
	}
	a.ended = a.ended || !tight && before.Computed && !efforts.Shrinks(before.Enclosure, a.Enclosure)
	if a.closed() {
		c.open--
	}
	return nil
}

// known tells what encloses the answer to quantity i, until the climb is over.
func (c *climber) known(i int, x interval.Interval) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.Known != nil && !c.over {
		c.Known(i, x)
	}
}

// end ends what is told: first answers may still be on their way.
func (c *climber) end() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.over = true
}

// fewDigits is how many digits are worth rungs that each cost several times as much as the one before, or one more than
// where no method is tight.
const fewDigits = 2

// contradiction reports that two rungs exclude each other.
func (c *climber) contradiction(q Quantity, first, second exact.Result) error {
	at := "inf"
	if q.x != nil {
		at = number.Format(q.x)
	}
	e := exact.Contradiction(fmt.Sprintf("effort %d", first.Effort), first.Interval,
		fmt.Sprintf("effort %d", second.Effort), second.Interval)
	e.Product, e.Eps, e.Effort = string(mechanism.EncodeEvent(c.Event)), at, second.Effort
	e.Reproduce = fmt.Sprintf("verify %s %s --relation %s --direction %s --digits %d '%s'",
		q.command, at, c.Relation, c.Direction, c.Digits, mechanism.EncodeEvent(c.Event))
	return e
}

// giveUp gives the reason for every answer that is still open.
func (c *climber) giveUp(reason error) {
	for i := range c.answers {
		a := &c.answers[i]
		switch {
		case a.closed():
		case len(a.Refused) > 0:
			a.Lacking = fmt.Errorf("%w; %w", a.Lacking, reason)
		default:
			a.Lacking = reason
		}
	}
}
