// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"cmp"
	"context"
	"math/big"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/mechanism"
)

// Totals encloses a quantity of the composition of the lines up to each; an ε is at least 0.
// The events must have been fixed beforehand. With an error about ctx, the first lines are
// answered.
func Totals(ctx context.Context, q Question, of ask.Quantity) ([]ask.Answer, error) {
	asked := q.asked()
	asked.Memo = new(exact.Memo)
	return upToEach(q, func(events mechanism.Range) (a ask.Answer, err error) {
		answers, err := ask.Range(ctx, asked, events, q.goal(), of)
		if err == nil {
			a = answers[0]
			a.Enclosure = a.OrZero()
		}
		return a, err
	})
}

// Decide decides whether the composition of the lines up to each is (eps, delta)-DP. The events
// must have been fixed beforehand. With an error about ctx, the first lines are decided.
func Decide(ctx context.Context, q Question, eps, delta *big.Rat) ([]*certify.Outcome, error) {
	memo := new(exact.Memo)
	return upToEach(q, func(events mechanism.Range) (*certify.Outcome, error) {
		return q.keeps(ctx, events, eps, delta, memo)
	})
}

// upToEach answers about the composition of the lines up to each. With an error, the first lines are answered.
func upToEach[T any](q Question, about func(mechanism.Range) (T, error)) (out []T, err error) {
	var sum tally
	for i, l := range q.Lines {
		q.progress(l)
		sum.add(l)
		x, err := about(sum.total())
		if err != nil {
			return out, cmp.Or(q.askable(i), err)
		}
		out = append(out, x)
	}
	return out, nil
}

// keeps decides whether events are (eps, delta)-DP. memo is what decisions share, or nil.
func (q Question) keeps(ctx context.Context, events mechanism.Range, eps, delta *big.Rat,
	memo *exact.Memo) (*certify.Outcome, error) {
	o, err := certify.Keeps(ctx, events, q.asked(), eps, delta, certify.Options{Budget: q.Budget,
		MaxMemory: q.MaxMemory, Memo: memo})
	return o, cmp.Or(err, ctx.Err())
}
