// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"context"

	"dpverify/float/learn"
)

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
