// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pattern"
	"dpverify/exact/profile"
)

// Uncorrelated: means over bins that are correlated, between such that are not; see diagonals. These are so far
// apart that they are bounded at effort 0.
type Uncorrelated struct{}

func (Uncorrelated) Plan(s *Solver, prod pair.Product, _ Effort) *Plan {
	below, above, ok := diagonals(prod)
	if !ok {
		return nil
	}
	var near func(ctx context.Context, delta *big.Rat) (*big.Rat, bool)
	short := Shortcuts{Near: func(ctx context.Context, delta *big.Rat) (*big.Rat, bool) {
		if near == nil {
			return nil, false
		}
		return near(ctx, delta)
	}}
	return &Plan{Cost: 0.3, Draft: Coarse, Shortcuts: short, Prepare: func(ctx context.Context) (profile.Func, error) {
		var delta *big.Rat
		if s.scale >= 0 {
			delta = new(big.Rat).Inv(interval.Pow2(s.scale))
		}
		s := NewSolver(s.methods, 0, delta)
		s.coarse = true
		up, sol, err := s.ProfileOf(ctx, above)
		if err == nil {
			near = sol.Short.Near
		}
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

// diagonals replaces means over bins by random allocations that they dominate, of Gaussians at the least squared norm,
// and by such that dominate them, at the greatest sum of a row. It reports false if there is none.
//
// See docs/theorems.md, Correlation that is moved. A bin without steps leaves nothing below.
func diagonals(prod pair.Product) (below, above pair.Product, ok bool) {
	for _, t := range prod {
		var least, most *big.Rat
		a := pair.Allocation{Selected: 1}
		switch x := t.Pair.(type) {
		case pair.Bins:
			least, most = spread(x.Gram)
			a.Steps, a.Reversed = int64(len(x.Gram)), x.Reversed
		case pair.Patterns:
			if x.Draw == pattern.Chosen {
				least, most = x.Norms()
				a.Selected, a.Steps, a.Reversed = x.Size, x.Steps(), x.Reversed
			}
		}
		if most == nil {
			below, above = append(below, t), append(above, t)
			continue
		}
		ok = true
		of := func(mu2 *big.Rat) pair.Term {
			a.Base = pair.Gaussian{Mu2: mu2}
			return pair.Term{Pair: a, Count: t.Count}
		}
		if above = append(above, of(most)); least.Sign() > 0 {
			below = append(below, of(least))
		}
	}
	return below.Merged(), above.Merged(), ok
}

// spread is the least squared norm, and the greatest sum of a row.
func spread(gram [][]*big.Rat) (least, most *big.Rat) {
	least, most = gram[0][0], new(big.Rat)
	for i, row := range gram {
		sum := new(big.Rat)
		for _, y := range row {
			sum.Add(sum, y)
		}
		if sum.Cmp(most) > 0 {
			most = sum
		}
		if row[i].Cmp(least) < 0 {
			least = row[i]
		}
	}
	return least, most
}
