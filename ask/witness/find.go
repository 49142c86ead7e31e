// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"context"
	"errors"
	"math/big"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/meaning"
)

// ErrNone says that no set of outputs was found.
var ErrNone = errors.New("witness: no set of outputs was found that shows it")

// Find looks for a witness. The error is ErrNone, ctx's, or one about the question.
func Find(ctx context.Context, r Request) (*Witness, error) {
	q := exact.Question{Event: r.Event, Relation: r.Relation, Direction: r.Direction}
	if _, _, err := meaning.ResolveProfile(q.Event, q.Relation, q.Direction); err != nil {
		return nil, err // package definition runs some events that have no meaning
	}
	var best *Witness
	looks := []func(context.Context, Request) (*Witness, error){halfLine, few, many, chosen}
	if total := new(big.Rat); gaussians(r.Event, big.NewRat(1, 1), total) && total.Sign() > 0 {
		looks = looks[:1] // no outputs show more than those whose loss is above ε
	}
	for _, look := range looks {
		w, err := within(ctx, r, look)
		if err != nil {
			return nil, err
		}
		if w != nil && (best == nil || best.Excess.Lo.Cmp(w.Excess.Lo) < 0) {
			best = w
		}
		if best != nil && r.enough(best.Excess.Lo) {
			return best, nil
		}
	}
	if best != nil && r.Delta == nil && best.Excess.Lo.Sign() > 0 {
		return best, nil
	}
	return pairOnly(ctx, r, q)
}

// within gives one way of looking half of the time that is left, so that others have some.
func within(ctx context.Context, r Request, look func(context.Context, Request) (*Witness, error)) (*Witness, error) {
	part := ctx
	if end, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		part, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	w, err := look(part, r)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, nil
	}
	return w, err
}

// pairOnly says what is known where no mechanism is.
func pairOnly(ctx context.Context, r Request, q exact.Question) (*Witness, error) {
	as, err := ask.For(ctx, q, ask.Goal{Digits: 12, Budget: ask.DefaultBudget}, ask.Delta(r.Epsilon))
	if err != nil {
		return nil, err
	}
	lo, hi, ok := as[0].Rationals()
	if !ok || lo.Sign() <= 0 || r.Delta != nil && lo.Cmp(r.Delta) <= 0 {
		return nil, ErrNone
	}
	return &Witness{
		Mechanism: "only a pair of distributions (P, Q) is known, which the event attains or stands for, and no data sets " +
			"that one can list",
		Set:    Set{Words: "the outputs of which the privacy loss log P/Q is above ε"},
		Excess: Range{lo, hi},
	}, nil
}
