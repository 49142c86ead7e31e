// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"math/big"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/exact"
	"dpverify/mechanism"
	"dpverify/number"
)

// Totals encloses a quantity of the composition of the lines up to each; an ε is at least 0.
// The events must have been fixed beforehand. With an error about ctx, the first lines are
// answered.
func Totals(ctx context.Context, q Question, of ask.Quantity) ([]ask.Answer, error) {
	var out []ask.Answer
	var sum tally
	asked := q.asked()
	asked.Memo = new(exact.Memo)
	for i, l := range q.Lines {
		q.progress(l)
		sum.add(l)
		answers, err := ask.Range(ctx, asked, sum.total(), q.goal(), of)
		if err != nil {
			if e := q.askable(i); e != nil {
				err = e
			}
			return out, err
		}
		answers[0].Enclosure = answers[0].OrZero()
		out = append(out, answers[0])
	}
	return out, nil
}

// Decide decides whether the composition of the lines up to each is (eps, delta)-DP. The events
// must have been fixed beforehand. With an error about ctx, the first lines are decided.
func Decide(ctx context.Context, q Question, eps, delta *big.Rat) ([]*certify.Outcome, error) {
	var out []*certify.Outcome
	var sum tally
	memo := new(exact.Memo)
	for i, l := range q.Lines {
		q.progress(l)
		sum.add(l)
		o, err := q.keeps(ctx, sum.total(), eps, delta, memo)
		if err != nil {
			if e := q.askable(i); e != nil {
				err = e
			}
			return out, err
		}
		out = append(out, o)
	}
	return out, nil
}

// keeps decides whether events are (eps, delta)-DP. memo is what decisions share, or nil.
func (q Question) keeps(ctx context.Context, events mechanism.Range, eps, delta *big.Rat, memo *exact.Memo) (*certify.Outcome, error) {
	claim := &certify.Claim{
		MorePrivate: events.MorePrivate, LessPrivate: events.LessPrivate, Relation: q.Relation, Direction: q.Direction,
		Statement: certify.Point{Epsilon: eps, Delta: delta, Written: [2]string{number.Format(eps), number.Format(delta)}},
	}
	o, err := certify.Truth(ctx, claim, certify.Options{Budget: q.Budget, MaxMemory: q.MaxMemory, Memo: memo})
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && o.Verdict == certify.Malformed {
		err = o.Err
	}
	return o, err
}
