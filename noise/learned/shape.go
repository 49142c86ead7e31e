// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"
	"errors"

	"dpverify/float/learn"
	"dpverify/noise"
)

// shapeProgram is the linear program of symmetric noise of any shape.
func (s *search) shapeProgram() learn.ShapeProgram {
	l, _ := s.program()
	return learn.ShapeProgram{Program: l}
}

// checkShape says what is wrong with a wish for noise of any shape.
func (w *Wish) checkShape(g noise.Grid) error {
	s := search{wish: *w, grid: g, goal: learn.Goal{Problem: w.problem(g), Weights: g.Weights(w.Norm)}}
	switch {
	case w.Compositions != 1 || w.Rate.Cmp(one) != 0:
		return errors.New("noise of any shape: want one release, without sampling")
	case w.Method != Auto && w.Method != LP:
		return errors.New("noise of any shape: want the method lp")
	case g.N < 2 || !s.shapeProgram().Fits():
		return errors.New("noise of any shape: want at least 2 and fewer cells, --cell, or a smaller range: every shift counts")
	}
	return nil
}

// anyShape solves the linear program of noise of any shape. The program of falling noise bounds it: a δ or a
// utility loss below proves that no falling noise does as well.
func (s *search) anyShape(ctx context.Context) (learn.State, *Optimum, error) {
	sol, err := s.shapeProgram().Solve(ctx)
	if err != nil {
		return learn.State{}, nil, err
	}
	best := learn.State{Half: s.keep(sol.Half, 0)}
	if best.Half == nil {
		return best, nil, nil
	}
	best.Delta, best.Utility = s.delta(best.Half), s.grid.Utility(s.wish.Norm, best.Half)
	l, ok := s.program()
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
