// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/mechanism"
)

// A Following is what was found to fit the budget after the ledger.
type Following struct {
	Question calibrate.Question
	Finding  calibrate.Finding
	Full     bool // nothing fits
}

// Next finds what still fits the budget (eps, delta) after the ledger: the value of the unknown of
// t with the greatest loss, which may be a number of copies. Where nothing fits, that is proved: the ledger
// alone exceeds the budget, or with one copy.
func Next(ctx context.Context, q Question, t *calibrate.Template, eps, delta *big.Rat) (*Following, error) {
	search := calibrate.Question{
		Template: t, Epsilon: eps, Delta: delta, Relation: q.Relation, Direction: q.Direction,
		Digits: calibrate.DefaultDigits, Budget: q.Budget, Progress: q.Progress,
	}
	lines := q.Lines
	if len(lines) > 0 {
		t.Before = composed(lines)
	}
	if e, ok := t.Copied(); ok {
		lines = append(slices.Clone(lines), Line{Events: mechanism.Range{MorePrivate: e, LessPrivate: e}})
	}
	o, err := q.keeps(ctx, composed(lines), eps, delta, nil)
	if err != nil {
		return nil, err
	}
	out := &Following{Question: search}
	switch o.Verdict {
	case certify.Refuted:
		out.Full = true
	case certify.Undecided:
		out.Finding.Ended = "whether anything more fits the budget is not decided: " + o.Reason
	default:
		var none calibrate.NotEnoughError
		if out.Finding, err = calibrate.Search(ctx, search); errors.As(err, &none) {
			out.Finding.Ended, err = none.Error(), nil
		}
	}
	return out, err
}
