// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/profile"
	"dpverify/internal/efforts"
	"dpverify/internal/figure"
	"dpverify/internal/guard"
	"dpverify/internal/ordered"
	"dpverify/internal/prose"
	"dpverify/mechanism"
)

// An Outcome is what came of an entry.
type Outcome struct {
	Entry
	Verdict    Verdict
	Statements []StatementOutcome
	Figures    []FigureOutcome
	Claims     []*certify.Outcome
	Table      []byte
}

// A StatementOutcome is a statement with an enclosure of what it is about.
type StatementOutcome struct {
	Statement
	Enclosure interval.Interval
	Verdict   Verdict
}

// RunAll recomputes entries, as many at once as there are processors, and hands each outcome to done, in their order.
// step is as of Run. The error is the first of Run or of done.
func RunAll(ctx context.Context, entries []Entry, step func(string), done func(Outcome) error) (outcomes []Outcome,
	err error) {
	type answer struct {
		outcome Outcome
		err     error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	compute := func(e Entry) answer {
		if err := ctx.Err(); err != nil {
			return answer{err: err}
		}
		o, err := Run(ctx, e, step)
		return answer{o, err}
	}
	for a := range ordered.Map(slices.Values(entries), compute) {
		if a.err == nil {
			a.err = done(a.outcome)
		}
		if a.err != nil {
			return nil, a.err
		}
		outcomes = append(outcomes, a.outcome)
	}
	return outcomes, nil
}

// Run recomputes an entry. step, if not nil, is called with what comes next. The error is
// a bug of the engine, of this package's tables, or ctx's.
func Run(ctx context.Context, e Entry, step func(string)) (Outcome, error) {
	if step == nil {
		step = func(string) {}
	}
	out := Outcome{Entry: e}
	for _, s := range e.Statements {
		step(e.ID + ": " + s.Text)
		o, err := decide(ctx, s)
		if err != nil {
			return out, fmt.Errorf("%s: %s: %w", e.ID, s.Text, err)
		}
		out.Statements = append(out.Statements, o)
	}
	for _, f := range e.Figures {
		o := FigureOutcome{Figure: f, Printed: e.printed(f)}
		for _, c := range f.Curves {
			step(e.ID + ": " + f.Title + ", " + c.Name)
			vs, _, err := f.enclose(ctx, c, f.At, nil)
			if err != nil {
				return out, fmt.Errorf("%s: %s: %s: %w", e.ID, f.Title, c.Name, err)
			}
			o.Values = append(o.Values, vs)
		}
		if err := o.refine(ctx); err != nil {
			return out, fmt.Errorf("%s: %s: %w", e.ID, f.Title, err)
		}
		out.Figures = append(out.Figures, o)
	}
	var err error
	if e.Table != nil {
		if out.Table, err = e.Table(ctx); err != nil {
			return out, fmt.Errorf("%s: %w", e.ID, err)
		}
	}
	if e.Claims != "" {
		if out.Claims, err = decideClaims(ctx, e.Claims, func(id string) { step(e.ID + ": " + id) }); err != nil {
			return out, err
		}
	}
	out.Verdict = out.verdict()
	return out, nil
}

// verdict sums up: one statement that does not hold is enough.
func (o *Outcome) verdict() Verdict {
	v := Drawn
	count := func(s Verdict) {
		switch {
		case s == Fails:
			v = NotReproduced
		case s == Undecided && v != NotReproduced:
			v = Undecided
		case s == Holds && v == Drawn:
			v = Reproduced
		}
	}
	best := make(map[string]Verdict) // of the readings of a sentence
	rank := map[Verdict]int{Fails: 1, Undecided: 2, Holds: 3}
	for _, s := range o.Statements {
		switch {
		case s.Ours:
		case s.Sentence == "":
			count(s.Verdict)
		case rank[s.Verdict] > rank[best[s.Sentence]]:
			best[s.Sentence] = s.Verdict
		}
	}
	for _, v := range best {
		count(v)
	}
	for _, c := range o.Claims {
		// Files of published bounds hold false claims on purpose, and say so.
		switch {
		case c.Claim.Expect == "":
			count(ClaimVerdict(c))
		case c.Claim.Expect == c.Verdict:
			count(Holds)
		default:
			count(Fails)
		}
	}
	return v
}

// decide raises the effort until a statement is decided and its quantity known well.
func decide(ctx context.Context, s Statement) (StatementOutcome, error) {
	out := StatementOutcome{Statement: s}
	scale := s.Most
	if scale == nil || scale.Sign() <= 0 || s.Over != nil {
		scale = defaultScale
	}
	of, over := newClimb(s.Of, scale), (*climb)(nil)
	if s.Over != nil {
		over = newClimb(*s.Over, scale)
	}
	err := efforts.UpTo(last).Climb(ctx, func(e exact.Effort) (bool, error) {
		if err := of.rung(ctx, e); err != nil {
			return false, err
		}
		out.Enclosure = of.value
		if over != nil {
			if err := over.rung(ctx, e); err != nil {
				return false, err
			}
			out.Enclosure = e.Bits().Div(of.value, over.value)
		}
		out.Verdict = s.judge(out.Enclosure)
		digits := statedDigits
		if s.Claim == Orders {
			digits = drawnDigits
		}
		known := accurate(out.Enclosure, digits) || s.Claim == Orders && !out.Enclosure.IsFinite() // its divisor is all but 0
		settled := out.Verdict != Undecided && known
		return settled || of.ended && (over == nil || over.ended), nil
	})
	return out, err
}

// cheapPoints and dearPoints are how many points are added to a curve at most, the latter where each takes time: counts
// and no clock, so that a graph depends on its figure alone.
const cheapPoints, dearPoints = 160, 16

// more is how many points are added to a curve at most.
func (f Figure) more(c Curve) int {
	q := c.Value(f.At[0])
	if x, ok := q.of.(*derived); ok && !x.Search {
		return cheapPoints
	}
	if x, ok := q.of.(*asked); ok {
		many, ok := x.Event.(mechanism.SelfComposed)
		_, gaussian := many.Event.(mechanism.Gaussian)
		_, sampled := many.Event.(mechanism.PoissonSampled)
		if !ok || gaussian || sampled && c.Value(f.At[len(f.At)-1]).of == q.of {
			return cheapPoints * map[bool]int{false: 1, true: 3}[gaussian] // a closed form
		}
	}
	return dearPoints
}

// refine encloses curves at further points where their bands are thick.
func (f *FigureOutcome) refine(ctx context.Context) error {
	f.More = make([][]figure.Point, len(f.Curves))
	for i, c := range f.Curves {
		var shared *climb
		for left := f.more(c); left > 0; left = f.more(c) - len(f.More[i]) {
			xs, err := f.Draw().Open(i, min(left, 64))
			if err != nil || len(xs) == 0 {
				break // what cannot be drawn is said when it is drawn
			}
			var ys []interval.Interval
			if ys, shared, err = f.enclose(ctx, c, xs, shared); err != nil {
				return err
			}
			for j, y := range ys {
				f.More[i] = append(f.More[i], figure.Point{X: xs[j], Y: y})
			}
		}
	}
	return nil
}

// enclose encloses a curve at points, which share what a climb of the same subject has prepared.
func (f Figure) enclose(ctx context.Context, c Curve, xs []*big.Rat, shared *climb) (
	[]interval.Interval, *climb, error) {
	var out []interval.Interval
	for _, at := range xs {
		q := c.Value(at)
		cl := newClimb(q, cmp.Or(f.Scale, defaultScale))
		if shared != nil && shared.of == q.of {
			cl.prepared = shared.prepared
		}
		if err := efforts.UpTo(last).Climb(ctx, func(e exact.Effort) (bool, error) {
			err := cl.rung(ctx, e)
			return cl.ended || accurate(cl.value, drawnDigits), err
		}); err != nil {
			return out, shared, err
		}
		out, shared = append(out, cl.value), cl
	}
	return out, shared, nil
}

// A climb raises the effort for a quantity.
type climb struct {
	Quantity
	scale    *big.Rat
	prepared map[exact.Effort]prepared
	value    interval.Interval
	ended    bool // more effort does not help
}

func newClimb(q Quantity, scale *big.Rat) *climb {
	if q.kind == epsilon {
		scale = q.x
	}
	c := &climb{Quantity: q, scale: scale, prepared: map[exact.Effort]prepared{}, value: interval.Entire()}
	if q.kind == delta || q.kind == tradeOff {
		c.value = profile.Unit()
	}
	return c
}

// rung tries one effort.
func (c *climb) rung(ctx context.Context, e exact.Effort) error {
	if c.ended {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	y, err := guard.Within(ctx, func(ctx context.Context) (interval.Interval, error) { return c.enclose(ctx, e) })
	if err != nil {
		return err
	}
	z, ok := interval.Intersect(c.value, y)
	if !ok {
		first, second := c.value, y
		return fmt.Errorf("reproduce: internal error: efforts below %d say %v, effort %d says %v", e, first, e, second)
	}
	c.ended = e > 0 && !efforts.Shrinks(exact.Enclosure{Interval: c.value}, exact.Enclosure{Interval: z})
	c.value = z
	return nil
}

func (c *climb) enclose(ctx context.Context, e exact.Effort) (interval.Interval, error) {
	if c.kind == numeric {
		return c.of.(*given).get(ctx)
	}
	if c.kind == divergence {
		return c.of.(interface {
			divergence(*big.Rat, exact.Effort) (interval.Interval, error)
		}).divergence(c.x, e)
	}
	p := c.prepared[e]
	if p == nil {
		var err error
		if p, err = c.of.prepare(ctx, c.scale, e); err != nil {
			return interval.Interval{}, err
		}
		c.prepared[e] = p
	}
	switch c.kind {
	case epsilon:
		r, err := p.Epsilon(ctx, c.x, epsilonBits)
		return r.Interval, err
	case delta:
		if d, ok := c.of.(*derived); ok && c.x != nil {
			return d.deltaAt(ctx, c.x)
		}
	case tradeOff:
		f := profile.ToTradeOff(func(ctx context.Context, _ interval.Prec, eps interval.Real) (interval.Interval, error) {
			return p.DeltaReal(ctx, eps)
		})
		return f(ctx, e.Bits(), c.x)
	}
	return p.DeltaReal(ctx, c.at)
}

// accurate reports hi − lo ≤ 10^−digits·|hi|.
func accurate(y interval.Interval, digits int) bool {
	return efforts.Accurate(exact.Enclosure{Interval: y}, digits, 0)
}

// digits is how many digits of an enclosure a summary shows.
const digits = 6

// Range prints an enclosure.
func Range(y interval.Interval) string {
	lo, hi := y.Decimal(digits)
	if lo == hi {
		return lo
	}
	return "[" + lo + ", " + hi + "]"
}

// Text is what came of an entry for a terminal. It is the same for equal efforts.
func (o Outcome) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s  %s  %s\n", o.Verdict, o.ID, o.Title)
	for _, s := range o.Statements {
		whose, printed := map[bool]string{true: "ours", false: "stated"}[s.Ours], ""
		if s.Printed != "" {
			printed = fmt.Sprintf(", printed “%s”", s.Printed)
		}
		fmt.Fprintf(&b, "    %-13s  %-6s  %s: %s%s%s\n", s.Verdict, whose, s.Text, Range(s.Enclosure), printed, s.Limits())
	}
	for _, c := range o.Claims {
		text := c.Claim.ID
		if c.Epsilon != nil {
			text += ": least ε " + Range(c.Epsilon.Interval)
		}
		fmt.Fprintf(&b, "    %-13s  %-6s  %s\n", ClaimVerdict(c), "claim", text)
	}
	if o.Note != "" {
		fmt.Fprintf(&b, "    note: %s\n", o.Note)
	}
	return b.String()
}

// Totals says how many entries have which verdict.
func Totals(os []Outcome) string {
	n := make(map[Verdict]int)
	for _, o := range os {
		n[o.Verdict]++
	}
	return fmt.Sprintf("\n%s: %d reproduced, %d not reproduced, %d undecided, %d drawn\n",
		prose.Many(len(os), "entry", "entries"), n[Reproduced], n[NotReproduced], n[Undecided], n[Drawn])
}
