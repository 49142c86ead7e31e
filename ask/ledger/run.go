// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"

	"dpverify/ask"
)

// Run offers the lines to a filter, one after the other. With an error about ctx, the first lines are answered.
func Run(ctx context.Context, q Question, f *Filter) ([]Step, error) {
	var out []Step
	var accepted []Line
	refused := false
	for _, l := range q.Lines {
		q.progress(l)
		var s Step
		if f.Gaussian {
			s.Loss = gaussian(l.Events.LessPrivate)
			if s.Loss != nil {
				s.Decision = f.Take(s.Loss, s.Loss)
			}
		} else {
			answers, err := ask.Range(ctx, q.asked(), l.Events, q.goal(), ask.Renyi(f.Order))
			if err != nil {
				return out, err
			}
			s.Answer = answers[0]
			s.Decision = f.Take(ends(s.Answer))
		}
		s.Spent, s.Left = f.Spent, f.Left()
		switch {
		case s.Decision == Accepted:
			accepted = append(accepted, l)
		case s.Decision == Refused && !refused:
			s.Refusal, refused = q.refused(ctx, f, s, accepted, l), true
		}
		out = append(out, s)
	}
	return out, nil
}
