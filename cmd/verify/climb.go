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
	"dpverify/mechanism"
)

// A goal says how accurate an answer is wanted and what it may cost.
type goal struct {
	digits  int           // hi − lo ≤ 10^−digits·|hi|
	fixed   *exact.Effort // the only rung to try, if set
	timeout time.Duration
	started time.Time // when the timeout began; now, if it is zero
	// prepared, if not nil, keeps the profiles for other climbs of the same question.
	prepared map[exact.Effort]*exact.Profile
}

// limit returns a context that ends with the timeout.
func (g goal) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if g.started.IsZero() {
		return context.WithTimeout(ctx, g.timeout)
	}
	return context.WithDeadline(ctx, g.started.Add(g.timeout))
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
	// scale is the δ of interest, or nil.
	scale *big.Rat
	// at is where the quantity is asked for; nil for ∞.
	at *big.Rat
	// command asks for it: a command with the flag that has at as its value.
	command string
	// ask asks a profile.
	ask func(context.Context, *exact.Profile) (exact.Result, error)
	// direct, if set, asks without one; all quantities of a climb have it or none. Drafts
	// go by ask, if there is one.
	direct func(context.Context, exact.Question, exact.Effort) (exact.Result, error)
	// all contains every value that the quantity can have.
	all interval.Interval
	// trivial is what is known about every event; an answer that is no better says nothing.
	trivial trivial
	// floor bounds the accuracy that is wanted absolutely: 10^−floor.
	floor int
}

// deltaAt is δ at eps.
func deltaAt(eps *big.Rat) quantity {
	return quantity{
		at: eps, command: "delta --epsilon",
		ask:     func(ctx context.Context, p *exact.Profile) (exact.Result, error) { return p.Delta(ctx, eps) },
		all:     interval.Union(interval.Int(0), interval.Int(1)),
		trivial: trivialDelta(eps),
	}
}

// epsilonAt is the least ε at delta, to the accuracy of digits. It can be 0
// without being known to be, so accuracy relative to it is wanted down to
// 10^(−2·digits) only.
func epsilonAt(delta *big.Rat, digits int) quantity {
	bits := digits*33220/10000 + 20 // log2 10 < 3.322
	return quantity{
		at: delta, scale: delta, command: "epsilon --delta",
		ask:     func(ctx context.Context, p *exact.Profile) (exact.Result, error) { return p.Epsilon(ctx, delta, bits) },
		all:     interval.Entire(),
		trivial: trivialEpsilon(delta),
		floor:   2 * digits,
	}
}

// An answer is what a climb reached.
type answer struct {
	exact.Result
	complete bool
	reason   string // why it is not complete
	computed bool   // by some rung
	ended    bool   // more effort would not help
	found    bool   // more than is known about every event
}

// A climber raises the effort for the quantities of one question.
type climber struct {
	exact.Question
	goal
	quantities []quantity
	answers    []answer
	open       int // quantities that more effort may help
	// step is called before every rung and every quantity.
	step func(e exact.Effort, open int)
}

// climb raises the effort until every quantity is as accurate as wanted. The end
// of the time is no error: the answers are what was reached. step, if not nil,
// is called before every rung and every quantity, with how many are open.
//
// The error is about the question, a bug of the engine
// (*exact.InconsistencyError), or ctx's; with ctx's, there are answers too.
func climb(ctx context.Context, q exact.Question, qs []quantity, g goal, step func(e exact.Effort, open int)) ([]answer, error) {
	for _, qu := range qs {
		if qu.scale != nil && (q.Scale == nil || qu.scale.Cmp(q.Scale) < 0) {
			q.Scale = qu.scale
		}
	}
	c := &climber{Question: q, goal: g, quantities: qs, answers: make([]answer, len(qs)), open: len(qs), step: step}
	for i := range qs {
		c.answers[i].Enclosure = exact.Enclosure{Interval: qs[i].trivial.interval()}
		c.answers[i].reason = "nothing was computed in time"
	}
	if step == nil {
		c.step = func(exact.Effort, int) {}
	}
	limited, cancel := g.limit(ctx)
	defer cancel()
	d := startDrafts(ctx, limited, c)
	defer d.stop()
	answers, err := c.climb(ctx, limited, d)
	for i := range answers {
		a := &answers[i]
		a.found = a.complete || a.Value != nil || qs[i].trivial.isBetter(a.Interval)
	}
	return answers, err
}

// climb raises the effort for as long as limited lasts.
func (c *climber) climb(ctx, limited context.Context, d *drafts) ([]answer, error) {
	first, last := exact.Effort(0), exact.MaxEffort
	if c.fixed != nil {
		first, last = *c.fixed, *c.fixed
	}
	for e := first; e <= last && c.open > 0; e++ {
		err := c.rung(limited, e)
		switch {
		case err == nil:
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			c.giveUp(fmt.Sprintf("the time of %v ended", c.timeout))
			return c.answers, d.into(c)
		case ctx.Err() != nil:
			c.giveUp("interrupted")
			if bug := d.into(c); bug != nil {
				return nil, bug
			}
			return c.answers, err
		default:
			return nil, err
		}
	}
	return c.answers, nil
}

// rung tries one effort for the quantities that are open.
func (c *climber) rung(ctx context.Context, e exact.Effort) error {
	c.step(e, c.open)
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.quantities[0].direct != nil {
		return c.direct(ctx, e)
	}
	p, err := c.profile(ctx, e)
	if err != nil {
		return err
	}
	for i, q := range c.quantities {
		if a := c.answers[i]; a.complete || a.ended {
			continue
		}
		c.step(e, c.open)
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := certify.Within(ctx, func(ctx context.Context) (exact.Result, error) { return q.ask(ctx, p) })
		if err != nil {
			return err
		}
		if err := c.take(i, r, p.Tight()); err != nil {
			return err
		}
	}
	return nil
}

// profile prepares an effort, unless another climb has.
func (c *climber) profile(ctx context.Context, e exact.Effort) (*exact.Profile, error) {
	if p := c.prepared[e]; p != nil {
		return p, nil
	}
	p, err := certify.Within(ctx, func(ctx context.Context) (*exact.Profile, error) { return exact.Prepare(ctx, c.Question, e) })
	if err == nil && c.prepared != nil {
		c.prepared[e] = p
	}
	return p, err
}

// take adopts what a rung says about quantity i: what earlier rungs have found
// holds, too. Where no method is tight from both sides, more effort helps for as
// long as the enclosure shrinks.
func (c *climber) take(i int, r exact.Result, tight bool) error {
	a, q := &c.answers[i], c.quantities[i]
	before := *a
	y, ok := interval.Intersect(before.Interval, r.Interval)
	if !before.computed {
		y, ok = interval.Intersect(q.all, r.Interval)
	}
	switch {
	case !ok:
		return c.contradiction(q, before.Result, r)
	case !before.computed || r.Value != nil || y.Lo().Cmp(before.Lo()) != 0 || y.Hi().Cmp(before.Hi()) != 0:
		a.Result = r
		a.Interval = y
	}
	a.computed = true
	switch {
	case len(r.Refused) > 0:
		// The first refusal needs least.
		if len(before.Refused) == 0 {
			a.reason = refusal(r.Refused)
		}
		a.Refused = r.Refused
	case !tight:
		a.reason = "no method of this version bounds the event tightly from both sides"
	default:
		a.reason = fmt.Sprintf("effort %d is not enough", r.Effort)
	}
	a.complete = accurate(a.Enclosure, c.digits, q.floor)
	if a.complete {
		a.reason = ""
	}
	a.ended = !tight && before.computed && !certify.Shrinks(before.Enclosure, a.Enclosure)
	if a.complete || a.ended {
		c.open--
	}
	return nil
}

// contradiction reports that two rungs exclude each other.
func (c *climber) contradiction(q quantity, first, second exact.Result) error {
	at := "inf"
	if q.at != nil {
		at = mechanism.FormatNumber(q.at)
	}
	e := &exact.InconsistencyError{
		First: fmt.Sprintf("effort %d", first.Effort), Second: fmt.Sprintf("effort %d", second.Effort),
		Product: string(mechanism.EncodeEvent(c.Event)), Eps: at, Effort: second.Effort,
		Reproduce: fmt.Sprintf("verify %s %s --relation %s --direction %s --digits %d '%s'",
			q.command, at, c.Relation, c.Direction, c.digits, mechanism.EncodeEvent(c.Event)),
	}
	e.FirstLo, e.FirstHi = first.Decimal(30)
	e.SecondLo, e.SecondHi = second.Decimal(30)
	return e
}

// giveUp gives the reason for every answer that is still open.
func (c *climber) giveUp(reason string) {
	for i := range c.answers {
		a := &c.answers[i]
		switch {
		case a.complete || a.ended:
		case len(a.Refused) > 0:
			a.reason += "; " + reason
		default:
			a.reason = reason
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
