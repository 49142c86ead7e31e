// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"math/big"

	"dpverify/ask"
)

// A Step is the answer of a filter to a line.
type Step struct {
	Answer      ask.Answer // R_α of the event; of a Gaussian filter, Loss
	Loss        *big.Rat   // Σ 1/σ², nil of an event that is not only Gaussian noise
	Accepted    bool
	Spent, Left *big.Rat // after it
}

// Run offers the lines to a filter, one after the other. The divergence of each is taken at the upper end of
// its enclosure. With an error about ctx, the first lines are answered.
func Run(ctx context.Context, q Question, f *Filter) ([]Step, error) {
	var out []Step
	for _, l := range q.Lines {
		q.progress(l)
		var s Step
		if f.Gaussian {
			s.Loss = gaussian(l.Events.LessPrivate)
			s.Accepted = f.Take(s.Loss)
		} else {
			answers, err := ask.Range(ctx, q.asked(), l.Events, q.goal(), ask.Renyi(f.Order))
			if err != nil {
				return out, err
			}
			s.Answer = answers[0]
			s.Accepted = f.Take(upper(s.Answer))
		}
		s.Spent, s.Left = f.Spent, f.Left()
		out = append(out, s)
	}
	return out, nil
}

// upper is the upper end of an enclosure; nil for ∞.
func upper(a ask.Answer) *big.Rat {
	switch {
	case a.Value != nil:
		return a.Value
	case a.Upper != nil:
		return a.Upper
	case a.Hi().IsInf():
		return nil
	}
	hi, _ := a.Hi().Rat(nil)
	return hi
}
