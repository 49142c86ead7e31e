// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package efforts has efforts that rise until an answer is good enough, and first answers beside them.
package efforts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"dpverify/exact"
	"dpverify/exact/interval"
)

// A Ladder is the efforts that a climb may take, both ends included.
type Ladder struct{ First, Last exact.Effort }

// UpTo is the ladder from the ground to an effort, if there are so many.
func UpTo(last exact.Effort) Ladder { return Ladder{0, min(last, exact.MaxEffort)} }

// Or is l, but the one rung that is fixed, if one is.
func (l Ladder) Or(fixed *exact.Effort) Ladder {
	if fixed != nil {
		return Ladder{*fixed, *fixed}
	}
	return l
}

// Climb calls rung with one effort after the other, until it is done, fails or no effort is
// left. The error is rung's, or ctx's where it ends between two rungs. Whether the
// first rung is worth trying after the end of ctx is for rung to say: a rung without work has
// an answer even then.
func (l Ladder) Climb(ctx context.Context, rung func(exact.Effort) (done bool, err error)) error {
	for e := l.First; e <= l.Last; e++ {
		if e > l.First && ctx.Err() != nil {
			return ctx.Err()
		}
		if done, err := rung(e); done || err != nil {
			return err
		}
	}
	return nil
}

// OutOfTime reports that err is the end of a time limit within ctx, and not of ctx itself.
func OutOfTime(ctx context.Context, err error) bool {
	return ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
}

// A MemoryError says that methods were left out for the memory that they need, and that
// those which are left are not enough.
type MemoryError struct {
	Effort  exact.Effort
	Refused []exact.Refusal
}

func (e *MemoryError) Error() string {
	needs := make([]string, len(e.Refused))
	for i, r := range e.Refused {
		needs[i] = r.String()
	}
	return fmt.Sprintf("more memory than allowed would be needed at effort %d: %s", e.Effort, strings.Join(needs, ", "))
}

// Accurate reports hi − lo ≤ 10^−digits·|hi|, or ≤ 10^−floor if floor > 0. The
// exact value, and an infinite one, are accurate.
func Accurate(e exact.Enclosure, digits, floor int) bool {
	if e.Value != nil || e.IsPoint() {
		return true
	}
	lo, hi := e.Lo(), e.Hi()
	if lo.IsInf() || hi.IsInf() {
		return lo.IsInf() && hi.IsInf() && lo.Signbit() == hi.Signbit()
	}
	const p = interval.Prec(64)
	l, h := interval.Point(lo), interval.Point(hi)
	width := p.Sub(h, l)
	wanted := p.Mul(h.Abs(), p.PowInt(interval.Int(10), int64(-digits)))
	if floor > 0 {
		wanted = interval.Max(wanted, p.PowInt(interval.Int(10), int64(-floor)))
	}
	return width.LessEq(wanted) == interval.True
}

// Shrinks reports whether a rung of the ladder has narrowed an enclosure by a tenth
// or more. Where no method bounds an event tightly from both sides, enclosures stop
// shrinking at a gap that more effort does not close, and the climb ends there.
func Shrinks(before, after exact.Enclosure) bool {
	const p = interval.Prec(64)
	width := func(e exact.Enclosure) interval.Interval {
		return p.Sub(interval.Point(e.Hi()), interval.Point(e.Lo()))
	}
	if !before.IsFinite() {
		return after.Lo().Cmp(before.Lo()) != 0 || after.Hi().Cmp(before.Hi()) != 0
	}
	return p.Mul(width(after), interval.Int(10)).Less(p.Mul(width(before), interval.Int(9))) == interval.True
}
