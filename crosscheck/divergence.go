// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/float"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// CompareDivergence compares R_α(P‖Q) of both engines at an order above 1. The error is a
// *DivergenceViolation, a *float.UnsupportedError, or about the question.
func CompareDivergence(q exact.Question, alpha *big.Rat) (Verdict, error) {
	fast, err := float.Divergence(float.Question{Event: q.Event, Relation: q.Relation, Direction: q.Direction}, alpha)
	if err != nil {
		return Inconclusive, err
	}
	y, err := exact.Renyi(q, renyi.At(alpha), 1)
	if err != nil || !y.IsFinite() {
		return Inconclusive, err
	}
	v := judge(y.Lo(), y.Hi(), fast)
	if v == Refuted {
		return v, &DivergenceViolation{q, alpha, fast, y.Interval}
	}
	return v, nil
}

// A DivergenceViolation is a Rényi divergence on which both engines disagree.
type DivergenceViolation struct {
	Question exact.Question
	Alpha    *big.Rat
	Float    float.Value
	Exact    interval.Interval
}

// Error says what disagrees, and where the exact value can be had.
func (v *DivergenceViolation) Error() string {
	lo, hi := v.Exact.Decimal(25)
	query := fmt.Sprintf(`{"event":%s,"relation":"%s","direction":"%s","quantity":"renyi","at":"%s"}`,
		mechanism.EncodeEvent(v.Question.Event), v.Question.Relation, v.Question.Direction, number.Format(v.Alpha))
	return fmt.Sprintf("crosscheck: R_%s: the exact engine says [%s, %s], the fast path %.17g ± %.3g; reproduce with: "+
		"echo '%s' | verify query", number.Format(v.Alpha), lo, hi, v.Float.V, v.Float.Err, query)
}
