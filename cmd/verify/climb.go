package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
)

// A goal says how accurate an answer is wanted and what it may cost.
type goal struct {
	digits  int           // hi − lo ≤ 10^−digits·|hi|
	fixed   *exact.Effort // the only rung to try, if set
	timeout time.Duration
}

// The limits of a goal. The highest effort works with 4932 decimal digits.
const (
	defaultDigits  = 12
	maxDigits      = 4000
	defaultTimeout = 60 * time.Second
	maxTimeout     = 1e6 * time.Second
)

// A quantity is what is asked of a profile.
type quantity struct {
	// at is where the quantity is asked for.
	at *big.Rat
	// ask asks a profile.
	ask func(context.Context, *exact.Profile) (exact.Result, error)
	// all contains every value that the quantity can have.
	all interval.Interval
	// floor bounds the accuracy that is wanted absolutely: 10^−floor.
	floor int
}

// deltaAt is δ at eps.
func deltaAt(eps *big.Rat) quantity {
	return quantity{
		at:  eps,
		ask: func(ctx context.Context, p *exact.Profile) (exact.Result, error) { return p.Delta(ctx, eps) },
		all: interval.Union(interval.Int(0), interval.Int(1)),
	}
}

// epsilonAt is the least ε at delta, to the accuracy of digits. It can be 0
// without being known to be, so accuracy relative to it is wanted down to
// 10^(−2·digits) only.
func epsilonAt(delta *big.Rat, digits int) quantity {
	bits := digits*33220/10000 + 20 // log2 10 < 3.322
	return quantity{
		at:    delta,
		ask:   func(ctx context.Context, p *exact.Profile) (exact.Result, error) { return p.Epsilon(ctx, delta, bits) },
		all:   interval.Entire(),
		floor: 2 * digits,
	}
}

// An answer is what a climb reached.
type answer struct {
	exact.Result
	complete bool
	reason   string // why it is not complete
}

// untightEffort is the last rung that is tried where no method bounds the event
// tightly from both sides.
const untightEffort exact.Effort = 2

// climb raises the effort until every quantity is as accurate as wanted. The end
// of the time is no error: the answers are what was reached. step, if not nil,
// is called before every rung.
//
// The error is about the question, a bug of the engine
// (*exact.InconsistencyError), or ctx's; with ctx's, there are answers too.
func climb(ctx context.Context, q exact.Question, qs []quantity, g goal, step func(exact.Effort)) ([]answer, error) {
	answers := make([]answer, len(qs))
	for i := range qs {
		answers[i].Enclosure = exact.Enclosure{Interval: qs[i].all}
		answers[i].reason = "nothing was computed in time"
	}
	limited, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	first, last := exact.Effort(0), exact.MaxEffort
	if g.fixed != nil {
		first, last = *g.fixed, *g.fixed
	}
	open := len(qs)
	for e := first; e <= last && open > 0; e++ {
		if step != nil {
			step(e)
		}
		err := rung(limited, q, e, qs, answers, g, &open, &last)
		switch {
		case err == nil:
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			giveUp(answers, fmt.Sprintf("the time of %v ended", g.timeout))
			return answers, nil
		case ctx.Err() != nil:
			giveUp(answers, "interrupted")
			return answers, err
		default:
			return nil, err
		}
	}
	return answers, nil
}

// rung tries one effort for the quantities that are open. It lowers last where
// more effort does not help.
func rung(ctx context.Context, q exact.Question, e exact.Effort, qs []quantity, answers []answer, g goal, open *int, last *exact.Effort) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p, err := certify.Within(ctx, func(ctx context.Context) (*exact.Profile, error) { return exact.Prepare(ctx, q, e) })
	if err != nil {
		return err
	}
	reason := fmt.Sprintf("effort %d is not enough", e)
	if !p.Tight() {
		reason = "no method of this version bounds the event tightly from both sides"
		if g.fixed == nil {
			*last = min(*last, untightEffort)
		}
	}
	for i, qu := range qs {
		if answers[i].complete {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := certify.Within(ctx, func(ctx context.Context) (exact.Result, error) { return qu.ask(ctx, p) })
		if err != nil {
			return err
		}
		answers[i] = answer{Result: r, reason: reason}
		if accurate(r.Enclosure, g.digits, qu.floor) {
			answers[i].complete, answers[i].reason = true, ""
			*open--
		}
	}
	return nil
}

// giveUp gives the reason for every answer that is not complete.
func giveUp(answers []answer, reason string) {
	for i := range answers {
		if !answers[i].complete {
			answers[i].reason = reason
		}
	}
}

// accurate reports hi − lo ≤ 10^−digits·|hi|, or ≤ 10^−floor if floor > 0. The
// exact value, and an infinite one, are accurate.
func accurate(e exact.Enclosure, digits, floor int) bool {
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
