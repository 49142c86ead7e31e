// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Uncorrelated: means over bins that are correlated, between such that are not; see pair.Diagonals. These are so far
// apart that they are bounded at effort 0.
type Uncorrelated struct{}

func (Uncorrelated) Plan(s *Solver, prod pair.Product, _ Effort) *Plan {
	below, above, ok := pair.Diagonals(prod)
	if !ok {
		return nil
	}
	return &Plan{Cost: 0.3, Draft: Coarse, Prepare: func(ctx context.Context) (profile.Func, error) {
		var delta *big.Rat
		if s.scale >= 0 {
			delta = new(big.Rat).Inv(interval.Pow2(s.scale))
		}
		s := s.Rough(delta)
		up, _, err := s.ProfileOf(ctx, above)
		if err != nil || len(below) == 0 {
			return profile.FromAbove(up), err
		}
		low, _, err := s.ProfileOf(ctx, below)
		return between(low, up), err
	}}
}

// between takes the lower end of one profile, and the upper end of another one.
func between(below, above profile.Func) profile.Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		p = min(p, 40) // the two are not that near
		a, err := below(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		b, err := above(ctx, p, eps)
		if err != nil {
			return profile.Unit(), err
		}
		return interval.Union(a.Lower(), b.Upper()), nil
	}
}
