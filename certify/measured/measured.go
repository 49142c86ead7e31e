// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package measured puts what an attack shows beside what is true and what is claimed.
package measured

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/ask/measure"
	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// Test tests an attack on an event, and on a guarantee (ε, δ) where it is about both directions. epsilon and delta are
// nil for a claim of another kind.
func Test(ctx context.Context, s *measure.Stated, q exact.Question, epsilon, delta *big.Rat,
	g ask.Goal) (*measure.Answer, error) {
	r := measure.Request{Attack: s.Attack, Confidence: s.Confidence, Event: &q, Delta: delta, Goal: g}
	if epsilon != nil && epsilon.Sign() >= 0 && delta.Cmp(big.NewRat(1, 1)) < 0 && q.Direction == mechanism.Both {
		r.Claim = &measure.Claim{Epsilon: epsilon, Delta: delta}
	}
	return measure.Compute(ctx, r)
}

// Fits reports that the attack contradicts neither the event nor a claim that was not refuted; true without an attack
// (nil).
func Fits(r *measure.Report, refuted bool) bool {
	contradicted := measure.Contradicted.String()
	return r == nil || (r.Event == nil || r.Event.Verdict != contradicted) &&
		(r.Claim == nil || r.Claim.Verdict != contradicted || refuted)
}

// Report is an answer in JSON; nil without one.
func Report(a *measure.Answer) *measure.Report {
	if a == nil {
		return nil
	}
	return new(a.Report())
}

// Text says an answer in a line; empty without one.
func Text(a *measure.Answer) string {
	if a == nil {
		return ""
	}
	text := "measured: the event is " + a.OfEvent.Verdict.String()
	if f := a.OfClaim; f != nil {
		text += ", the claim " + f.Verdict.String()
	}
	return fmt.Sprintf("%s, at confidence %s; %s", text, number.Format(a.Confidence), a.Corners())
}
