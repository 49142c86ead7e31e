// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"

	"dpverify/float/learn"
)

// impossible reports whether the noise with the least δ of the range misses the promise, about.
func (s *search) impossible(ctx context.Context, l learn.Program) bool {
	if s.goal.Delta == 0 {
		return false
	}
	target := l.Delta
	l.Delta, l.Most = 0, 2*s.goal.Weights[s.grid.N-1]
	sol, err := l.Solve(ctx)
	return err == nil && s.goal.Single(sol.Half) > target*(1+1e-6)+1e-12
}

// solve solves the linear program and bounds what any noise of the range can do.
func (s *search) solve(ctx context.Context, l learn.Program) (learn.State, *Optimum, error) {
	best, sol, err := s.bestOf(l.Solve(ctx))
	if err != nil || best.Half == nil {
		return best, nil, err
	}
	lo, err := s.bound(sol)
	return best, lo, err
}

// bestOf is the noise of the solution of a linear program; there is none in the state if it is not kept.
func (s *search) bestOf(sol learn.Solution, err error) (learn.State, learn.Solution, error) {
	if err != nil {
		return learn.State{}, sol, err
	}
	best := learn.State{Half: s.keep(sol.Half, 0)}
	if best.Half != nil {
		best.Delta, best.Utility = s.delta(best.Half), s.grid.Utility(s.wish.Norm, best.Half)
	}
	return best, sol, nil
}
