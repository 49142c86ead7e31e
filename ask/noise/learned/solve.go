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

// anyShape solves the linear program of noise of any shape. The program of falling noise bounds it: a δ or a
// utility loss below proves that no falling noise does as well.
func (s *search) anyShape(ctx context.Context) (learn.State, *Optimum, error) {
	best, _, err := s.bestOf(shapeProgram(s.goal).Solve(ctx))
	if err != nil || best.Half == nil {
		return best, nil, err
	}
	l, ok := program(s.goal)
	if !ok || ctx.Err() != nil {
		return best, nil, nil
	}
	falling, err := l.Solve(ctx)
	if err != nil {
		return best, nil, nil // the bound is an extra
	}
	lo, err := s.bound(falling)
	return best, lo, err
}

// program is the linear program of a goal about one release, if it is one and small enough.
func program(goal learn.Goal) (learn.Program, bool) {
	l := learn.Program{N: goal.N, Shift: goal.Shift, Eps: goal.Eps, Weights: goal.Weights, Delta: goal.Delta,
		Most: goal.Most}
	l.Delta *= 1 - 1e-9 // so that rounding does not miss it
	if goal.Root {
		l.Most *= l.Most
	}
	return l, goal.Count == 1 && goal.Rate == 1 && l.Fits()
}

// shapeProgram is the linear program of symmetric noise of any shape.
func shapeProgram(goal learn.Goal) learn.Program {
	l, _ := program(goal)
	l.Shape = learn.AnyShape
	return l
}
