// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/replicas"
)

// Replicas: means over patterns of steps, by moments of the ratio given a sum; see exact/replicas.
func Replicas(s *Solver, prod pair.Product, e Effort) *Plan {
	x, ok := pair.Single[pair.Patterns](prod)
	if !ok {
		return nil
	}
	m, ok := replicas.New(x.Law)
	if !ok {
		return nil
	}
	set := replicas.Settings{Work: math.Ldexp(2e8, 2*int(min(e, 4))), Cut: 40, Cells: 400}
	if s.scale >= 0 {
		set.Cut = s.scale + 16
	}
	b := s.moments.Bounds(m, x.Reversed, set)
	plan := &Plan{Cost: 0.2 + set.Work*2e-9, Slow: e > 1, Draft: Coarse}
	plan.Prepare = func(context.Context) (profile.Func, error) {
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			d, err := b.Delta(ctx, eps(64))
			if s.Refuses("replicas", err) {
				return profile.Unit(), nil
			}
			return p.Round(d), err
		}, nil
	}
	return plan
}
