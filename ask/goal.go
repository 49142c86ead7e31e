// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

// A Goal says how accurate an answer is wanted and what it may cost. Its zero value
// wants [DefaultDigits] digits, at any cost.
type Goal struct {
	// Digits says how accurate: hi − lo ≤ 10^−Digits·|hi|, but down to 10^(−2·Digits) only
	// for a quantity that can be 0 without being known to be. 0 means DefaultDigits.
	Digits int
	// Fixed, if set, is the only effort to try.
	Fixed *exact.Effort
	// Budget is the time for all; 0 means no limit. It never changes an answer, but which of
	// the answers along the ladder is the last one.
	Budget time.Duration
	// Started is when the Budget began; now, if it is zero.
	Started time.Time
	// MaxMemory bounds the bytes that one step of a method may take; 0 means what the
	// question says.
	MaxMemory int64
	// Profiles, if not nil, keeps what was prepared, for other climbs of the same question.
	Profiles *Profiles
	// Progress, if not nil, is called before every rung and every quantity with how many
	// quantities are open.
	Progress func(e exact.Effort, open int)
	// Known, if not nil, is called with what encloses the answer to quantity i whenever more is
	// known, also beside Progress, one call at a time and none after the end.
	Known func(i int, known interval.Interval)
}

// The accuracies of a goal. The highest effort works with 4932 decimal digits.
const (
	DefaultDigits = 12
	MaxDigits     = 4000
)

// The times of a command that names none, and the most that one takes.
const (
	DefaultBudget = 60 * time.Second
	MaxBudget     = 1e6 * time.Second
)

// check returns a *mechanism.ParamError for a goal that cannot be reached by anything.
func (g Goal) check() error {
	if err := argument.Integer("digits", int64(g.Digits), 0, MaxDigits); err != nil {
		return err
	}
	if err := argument.Integer("budget", int64(g.Budget), 0, math.MaxInt64); err != nil {
		return err
	}
	if g.Fixed != nil {
		return argument.Integer("effort", int64(*g.Fixed), 0, int64(exact.MaxEffort))
	}
	return nil
}

// digits is how many digits are wanted.
func (g Goal) digits() int { return cmp.Or(g.Digits, DefaultDigits) }

// ladder returns the efforts to try for a goal. A first one that is known to be too low for
// the digits may be left out.
func (g Goal) ladder() efforts.Ladder { return efforts.UpTo(exact.MaxEffort).Or(g.Fixed) }

// Limit returns a context that ends with the budget.
func (g Goal) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case g.Budget <= 0:
		return context.WithCancel(ctx)
	case g.Started.IsZero():
		return context.WithTimeout(ctx, g.Budget)
	}
	return context.WithDeadline(ctx, g.Started.Add(g.Budget))
}

// Sharpen narrows answers for as long as a goal has time, by a function that narrows one.
func Sharpen(ctx context.Context, g Goal, answers []Answer, narrow func(ctx context.Context, i int,
	a Answer) (Answer, error)) error {
	limited, cancel := g.Limit(ctx)
	defer cancel()
	for i, a := range answers {
		narrower, err := narrow(limited, i, a)
		switch {
		case efforts.OutOfTime(ctx, err):
			return nil
		case err != nil:
			return err
		}
		answers[i] = narrower
	}
	return nil
}

// Profiles keeps the profiles of one question: climbs that share it, one after the other,
// prepare an effort once. A climb of another question replaces them.
type Profiles struct {
	question exact.Question
	prepared map[exact.Effort]*exact.Profile
}

// prepare returns the profile of a question at an effort. A nil p keeps nothing.
func (p *Profiles) prepare(ctx context.Context, q exact.Question, e exact.Effort) (*exact.Profile, error) {
	if p == nil {
		p = new(Profiles)
	}
	if p.prepared == nil || !same(p.question, q) {
		*p = Profiles{q, make(map[exact.Effort]*exact.Profile)}
	}
	if kept := p.prepared[e]; kept != nil {
		return kept, nil
	}
	x, err := guard.Within(ctx, func(ctx context.Context) (*exact.Profile, error) { return exact.Prepare(ctx, q, e) })
	if err == nil {
		p.prepared[e] = x
	}
	return x, err
}

// same reports that two questions are one.
func same(a, b exact.Question) bool {
	scale := func(x *big.Rat) *big.Rat { return cmp.Or(x, new(big.Rat)) }
	return a.Event != nil && b.Event != nil && mechanism.Equal(a.Event, b.Event) && a.Relation == b.Relation &&
		a.Direction == b.Direction && scale(a.Scale).Cmp(scale(b.Scale)) == 0 && a.MaxMemory == b.MaxMemory
}
