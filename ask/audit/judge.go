// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"cmp"
	"context"
	"slices"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/internal/efforts"
	"dpverify/internal/guard"
)

type judge struct{ o Options }

// judge judges a reply. The error is a bug of the engine.
func (j judge) judge(ctx context.Context, c Case, r Reply) (Verdict, Judgement, error) {
	lower, upper := r.Lower, r.Upper
	if !j.o.Estimates {
		switch {
		case quantities[c.Quantity].promise == Lower && lower == nil:
			lower = r.Value
		case quantities[c.Quantity].promise == Upper && upper == nil:
			upper = r.Value
		}
	}
	if r.Kind != Answered || lower == nil && upper == nil {
		return Unjudged, Judgement{}, nil
	}
	limited, cancel := context.WithTimeout(ctx, j.o.Budget)
	defer cancel()
	best := Judgement{Reason: "nothing was computed in time"}
	v := Open
	err := efforts.UpTo(j.o.Effort).Climb(limited, func(e exact.Effort) (bool, error) {
		rung, next, tight, err := j.rung(limited, c, lower, upper, e)
		if err != nil {
			return false, err
		}
		v, best = rung, next
		return v != Open || !tight, nil
	})
	switch {
	case efforts.OutOfTime(ctx, err):
		return v, best, nil
	case ask.NoMeaning(err):
		// A question that has no meaning for us says nothing about the accountant.
		return v, Judgement{Reason: err.Error()}, nil
	}
	return v, best, err
}

// rung judges at one effort. Between the two ends of a range every quantity is monotone: what
// both say of an answer holds for all of it.
func (j judge) rung(ctx context.Context, c Case, lower, upper *Number,
	e exact.Effort) (v Verdict, out Judgement, tight bool, err error) {
	qs, at, err := c.questions()
	if err != nil {
		return Open, out, false, err
	}
	c.At = at
	for i, q := range qs {
		u, next, settled, err := j.one(ctx, c, q, lower, upper, e)
		switch {
		case err != nil:
			return Open, next, false, err
		case i == 0:
			v, out, tight = u, next, settled
		case v == Open || u == Open || u != v:
			if v != Open {
				out = next
			}
			out.Reason = cmp.Or(out.Reason,
				"the answer is sound for some of the distributions that the rounded probabilities stand for, and not for others")
			return Open, out, tight && settled, nil
		default:
			out.Truth, tight = new(out.Truth.Union(*next.Truth)), tight && settled
			out.Understatement = hull(out.Understatement, next.Understatement)
			out.Slack = hull(out.Slack, next.Slack)
		}
	}
	return v, out, tight, nil
}

// hull encloses what either of two intervals does; nil says that there is nothing to enclose.
func hull(x, y *interval.Interval) *interval.Interval {
	if x == nil || y == nil {
		return nil
	}
	return new(interval.Union(*x, *y))
}

// one judges at one effort, for one event.
func (j judge) one(ctx context.Context, c Case, q exact.Question, lower, upper *Number,
	e exact.Effort) (v Verdict, out Judgement, tight bool, err error) {
	at := c.At
	if c.Quantity == Renyi {
		truth, err := guard.Within(ctx, func(context.Context) (exact.Result, error) {
			return exact.Renyi(q, renyi.At(at), e)
		})
		if err != nil {
			return Open, out, false, err
		}
		v, out, err = j.compare(ctx, nil, c, lower, upper, truth)
		return v, out, true, err
	}
	p, err := guard.Within(ctx, func(ctx context.Context) (*exact.Profile, error) { return exact.Prepare(ctx, q, e) })
	if err != nil {
		return Open, out, false, err
	}
	for _, bits := range []int{20, 48, int(e.Bits())} {
		truth, err := truthAt(ctx, p, c, bits)
		if err != nil {
			return Open, out, false, err
		}
		v, out, err = j.compare(ctx, p, c, lower, upper, truth)
		// How δ at an answer compares with δ decides about an ε, with all bits there are.
		decided := v != Open || c.Quantity != TradeOff
		if err != nil || decided && (c.Quantity != Epsilon || bits > 20 || !out.vague()) {
			return v, out, p.Tight(), err
		}
	}
	return v, out, p.Tight(), nil
}

// truthAt encloses a quantity that a profile has; of ε and f, the leading bits are settled.
func truthAt(ctx context.Context, p *exact.Profile, c Case, bits int) (exact.Result, error) {
	return guard.Within(ctx, func(ctx context.Context) (exact.Result, error) {
		switch c.Quantity {
		case Delta:
			return p.Delta(ctx, c.At)
		case TradeOff:
			return p.TradeOff(ctx, c.At, bits)
		}
		return p.Epsilon(ctx, c.At, bits)
	})
}

// vague reports that a sharper enclosure of the truth would say more: the distance of
// the answer from it may be 0.
func (out Judgement) vague() bool {
	return slices.ContainsFunc([]*interval.Interval{out.Understatement, out.Slack}, func(d *interval.Interval) bool {
		return d != nil && d.Lo().Sign() == 0 && d.Hi().Sign() > 0
	})
}

// compare compares the bounds of a reply with an enclosure of the truth. p is the
// profile of an ε.
func (j judge) compare(ctx context.Context, p *exact.Profile, c Case, lower, upper *Number,
	truth exact.Result) (v Verdict, out Judgement, err error) {
	out = Judgement{Truth: &truth.Enclosure, Methods: truth.Methods, Effort: truth.Effort}
	v = Sound
	if upper != nil {
		below, err := j.isBelow(ctx, p, c, upper, truth.Enclosure)
		if err != nil {
			return Open, out, err
		}
		out.Claimed, out.Side = upper, Upper
		switch below {
		case interval.True:
			return Unsound, out.understated(), nil
		case interval.Unknown:
			v = Open
		}
	}
	if lower != nil {
		switch isAbove(c, lower, truth.Enclosure) {
		case interval.True:
			out.Claimed, out.Side = lower, Lower
			return Unsound, out.understated(), nil
		case interval.Unknown:
			v = Open
		}
	}
	if v == Open {
		out.Reason = "the enclosure of the truth does not exclude the answer"
	} else if c.Quantity == Epsilon && upper != nil {
		out.Slack = slack(upper, truth.Enclosure)
	}
	return v, out, nil
}

// isBelow answers upper < truth. For ε it is δ(upper) > δ, which is settled by one
// value of the profile: ε(δ) > u exactly if δ(u) > δ, since δ(·) is continuous and
// does not grow.
func (j judge) isBelow(ctx context.Context, p *exact.Profile, c Case, upper *Number,
	truth exact.Enclosure) (interval.Truth, error) {
	switch {
	case upper.Inf > 0:
		return interval.False, nil
	case upper.Inf < 0:
		// −∞ is below everything but an ε of −∞, which δ ≥ 1 has.
		return truthOf(c.Quantity != Epsilon || c.At.Cmp(one) < 0), nil
	case c.Quantity != Epsilon:
		return truth.LessEqRat(upper.Rat).Not(), nil
	}
	r, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) { return p.Delta(ctx, upper.Rat) })
	if err != nil {
		return interval.Unknown, err
	}
	if t := r.LessEqRat(c.At); t != interval.Unknown {
		return t.Not(), nil
	}
	return truth.LessEqRat(upper.Rat).Not(), nil
}

// isAbove answers lower > truth. A number of 0 or less is never above: only an ε can be
// negative, and accountants that count it from 0 mean max(0, ε).
func isAbove(c Case, lower *Number, truth exact.Enclosure) interval.Truth {
	switch {
	case lower.Inf < 0, lower.Inf == 0 && lower.Rat.Sign() <= 0:
		return interval.False
	case lower.Inf > 0:
		if c.Quantity == Delta || c.Quantity == TradeOff {
			return interval.True // they are at most 1
		}
		switch {
		case !truth.Hi().IsInf() || truth.Hi().Signbit():
			return interval.True
		case truth.Lo().IsInf():
			return interval.False
		}
		return interval.Unknown
	case truth.Value != nil:
		return truthOf(lower.Rat.Cmp(truth.Value) > 0)
	}
	return truth.Interval.LessRat(lower.Rat)
}

func truthOf(b bool) interval.Truth {
	if b {
		return interval.True
	}
	return interval.False
}

// understated sets Understatement. Both ends of the truth are at least 0 where an
// upper bound is below them: for ε they are clipped, an answer below a negative ε
// understates by nothing that can be measured against it.
func (out Judgement) understated() Judgement {
	const p = interval.Prec(96)
	t := interval.Max(out.Truth.Interval, interval.Int(0))
	var u interval.Interval
	switch {
	case t.Hi().Sign() == 0:
		return out // no relative measure
	case out.Claimed.Inf != 0:
		u = interval.Int(1)
	case out.Truth.Lo().IsInf():
		u = interval.Int(1) // a finite bound of ∞ leaves all of it out
	default:
		c := p.Rat(out.Claimed.Rat)
		// 1 − c/t grows with t for c ≥ 0 and is taken at both ends.
		if out.Side == Upper {
			u = p.Sub(interval.Int(1), p.Div(c, t))
		} else {
			u = p.Sub(p.Div(c, t), interval.Int(1))
		}
		u = interval.Max(u, interval.Int(0))
	}
	out.Understatement = &u
	return out
}

// slack encloses upper − truth, which is ≥ 0.
func slack(upper *Number, truth exact.Enclosure) *interval.Interval {
	const p = interval.Prec(96)
	d := interval.PosInf()
	if upper.Inf != 0 {
		if truth.Lo().IsInf() {
			d = interval.Int(0)
		}
		return &d
	}
	t := truth.Interval
	if truth.Lo().IsInf() || truth.Hi().IsInf() {
		t = interval.Max(t, interval.Int(0))
	}
	if truth.Value != nil {
		t = p.Rat(truth.Value)
	}
	d = interval.Max(p.Sub(p.Rat(upper.Rat), t), interval.Int(0))
	return &d
}
