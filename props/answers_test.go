// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/renyi"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A quantity is what is asked of an event, at a point.
type quantity struct {
	flags string // of the command, but for event, relation and direction
	// falls says that more privacy loss makes it smaller: the trade-off function.
	falls bool
	ask   func(ctx context.Context, a *asked) (exact.Result, error)
}

func deltaAt(eps *big.Rat) quantity {
	return quantity{"delta --epsilon=" + number.Format(eps), false, func(ctx context.Context, a *asked) (exact.Result, error) {
		p, err := a.prepared(ctx)
		if err != nil {
			return exact.Result{}, err
		}
		return p.Delta(ctx, eps)
	}}
}

// variation is δ(0), which the command calls tv.
func variation() quantity { return deltaAt(zero) }

func epsilonAt(delta *big.Rat) quantity {
	return quantity{"epsilon --delta=" + number.Format(delta), false, func(ctx context.Context, a *asked) (exact.Result, error) {
		p, err := a.prepared(ctx)
		if err != nil {
			return exact.Result{}, err
		}
		return p.Epsilon(ctx, delta, 16)
	}}
}

func tradeOffAt(x *big.Rat) quantity {
	return quantity{"tradeoff --alpha=" + number.Format(x), true, func(ctx context.Context, a *asked) (exact.Result, error) {
		p, err := a.prepared(ctx)
		if err != nil {
			return exact.Result{}, err
		}
		return p.TradeOff(ctx, x, 1<<20)
	}}
}

func renyiAt(alpha renyi.Order) quantity {
	return quantity{"renyi --order=" + alpha.String(), false, func(ctx context.Context, a *asked) (exact.Result, error) {
		return exact.Renyi(a.Question, alpha, a.effort)
	}}
}

// statedRenyi is what a certificate states of a Rényi divergence: of a guarantee, the
// bound from above alone.
func statedRenyi(alpha renyi.Order) quantity {
	q := renyiAt(alpha)
	q.ask = func(ctx context.Context, a *asked) (exact.Result, error) {
		prob, err := meaning.Resolve(a.Event, a.Relation)
		if err != nil {
			return exact.Result{}, err
		}
		c, err := renyi.NewCurve(prob, a.Direction)
		if err != nil {
			return exact.Result{}, err
		}
		return exact.Result{Enclosure: exact.Enclosure{Interval: c.Stated(a.effort.Bits(), alpha)}}, nil
	}
	return q
}

// asked is an event about which several quantities are asked, prepared once.
type asked struct {
	exact.Question
	effort  exact.Effort
	profile *exact.Profile
	err     error
}

func (a *asked) prepared(ctx context.Context) (*exact.Profile, error) {
	if a.profile == nil && a.err == nil {
		a.profile, a.err = exact.Prepare(ctx, a.Question, a.effort)
	}
	return a.profile, a.err
}

// An answer is an enclosure of a quantity. A question without a meaning has none, and
// says why.
type answer struct {
	exact.Result
	meaningless error
	command     string
}

func (a answer) String() string {
	if a.meaningless != nil {
		return fmt.Sprintf("%v\n  %s", a.meaningless, a.command)
	}
	return fmt.Sprintf("[%s, %s] by %v at effort %d\n  %s", text(a.Lo()), text(a.Hi()), a.Methods, a.Effort, a.command)
}

// answer asks. The error is a mistake of the engine, or the error of the end of ctx.
func (a *asked) answer(ctx context.Context, q quantity) (answer, error) {
	out := answer{command: a.command(q)}
	r, err := guard.Within(ctx, func(ctx context.Context) (exact.Result, error) { return q.ask(ctx, a) })
	var relation *meaning.RelationError
	var direction *meaning.DirectionError
	var param *mechanism.ParamError // a sample of another size than the event in it states, or of a maximum
	switch {
	case errors.As(err, &relation), errors.As(err, &direction),
		errors.As(err, &param) && (strings.Contains(param.Want, "sample around it") || strings.Contains(param.Want, "samples inside of the maximum")):
		out.meaningless = err
		return out, nil
	case err != nil:
		return out, fmt.Errorf("%w\n  %s", err, out.command)
	}
	out.Result = r
	if r.Lo().Cmp(r.Hi()) > 0 || r.Value != nil && !r.ContainsRat(r.Value) {
		return out, fmt.Errorf("no enclosure: %s", out)
	}
	return out, nil
}

// command is one that shows the answer. A histogram is shown as the finite pair that it is.
func (a *asked) command(q quantity) string {
	e := everywhere(a.Event, func(e mechanism.Event) mechanism.Event {
		if h, ok := e.(mechanism.HistogramPair); ok {
			return mechanism.FinitePair{P: h.P, Q: h.Q}
		}
		return e
	})
	var b strings.Builder
	fmt.Fprintf(&b, "verify %s", q.flags)
	if a.Relation != mechanism.AddOrRemoveOne {
		fmt.Fprintf(&b, " --relation %s", a.Relation)
	}
	if a.Direction != mechanism.Both {
		fmt.Fprintf(&b, " --direction %s", a.Direction)
	}
	fmt.Fprintf(&b, " '%s'", mechanism.EncodeEvent(e))
	return b.String()
}

// meet refutes that two answers are enclosures of one number.
func meet(a, b answer, why string) error {
	if (a.meaningless == nil) != (b.meaningless == nil) {
		return fmt.Errorf("%s: only one has a meaning:\n%s\n%s", why, a, b)
	}
	if a.meaningless != nil {
		return nil
	}
	if err := atMost(a, b, why); err != nil {
		return err
	}
	return atMost(b, a, why)
}

// atMost refutes a ≤ b.
func atMost(a, b answer, why string) error {
	if a.meaningless != nil || b.meaningless != nil {
		return nil
	}
	above := b.Less(a.Interval) == interval.True
	for _, x := range []*big.Rat{a.Lower, a.Value} {
		above = above || x != nil && b.LessRat(x) == interval.True
	}
	for _, x := range []*big.Rat{b.Upper, b.Value} {
		above = above || x != nil && a.LessEqRat(x) == interval.False
	}
	if above {
		return fmt.Errorf("%s: the first is greater:\n%s\n%s", why, a, b)
	}
	return nil
}

// noLess refutes that the second of two answers about a quantity has no less privacy loss.
func (q quantity) noLess(a, b answer, why string) error {
	if q.falls {
		a, b = b, a
	}
	return atMost(a, b, why)
}

// greatest encloses the quantity of the less private of two.
func (q quantity) greatest(a, b answer) answer {
	if a.meaningless != nil {
		return a
	}
	if b.meaningless != nil {
		return b
	}
	out := answer{command: a.command + "\n  " + b.command}
	if q.falls {
		out.Interval = interval.Min(a.Interval, b.Interval)
	} else {
		out.Interval = interval.Max(a.Interval, b.Interval)
	}
	return out
}
