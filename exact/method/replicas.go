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
type Replicas struct{}

func (Replicas) Plan(s *Solver, prod pair.Product, e Effort) *Plan {
	x, ok := pair.Single[pair.Patterns](prod)
	if !ok {
		return nil
	}
	m := replicas.Mechanism{Most: x.Most, Even: x.Even, Limit: x.Limit}
	steps, width := 0, 0
	for _, r := range x.Rows {
		m.Rows = append(m.Rows, replicas.Row(r))
		steps, width = steps+int(r.Count), max(width, len(r.Products))
	}
	size := int(x.Draw.Size)
	switch {
	case size > 1<<10 || x.Draw.Kind == pair.Chosen && width > 6:
		return nil
	case x.Draw.Kind == pair.MinSeparated:
		m.Walk = replicas.MinSeparated(size, x.Draw.Rate)
	case x.Draw.Kind == pair.Shifted:
		m.Walk = replicas.Shifted(size, width, x.Draw.Rate)
	default:
		m.Walk = replicas.Chosen(steps, size, width)
	}
	set := replicas.Settings{Work: math.Ldexp(1e8, 2*int(min(e, 4))), Cut: 40, Cells: 400}
	if s.scale >= 0 {
		set.Cut = s.scale + 16
	}
	b := replicas.NewBounds(m, x.Reversed, set)
	return &Plan{Cost: 0.2 + set.Work*4e-9, Slow: e > 1, Draft: Coarse, Prepare: func(context.Context) (profile.Func, error) {
		return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			d, err := b.Delta(ctx, eps(64))
			return p.Round(d), err
		}, nil
	}}
}
