// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A composed product is its dominating pair on a grid and a post-processing of it, apart
// from the group above the grid.
type composed[L composable[L]] struct {
	upper      *lattice
	lower      L // zero if a factor only has an upper bound
	infP, infQ interval.Interval
}

// compose composes a product; lower makes what bounds it from below of the cells of a
// factor. It returns nil if a vector would get too long.
func compose[L composable[L]](ctx context.Context, factors []*factor, set Settings,
	lower func(*leaf, *plan) L) (*composed[L], error) {
	plan, err := newPlan(ctx, factors, set)
	if plan == nil {
		return nil, err
	}
	out := &composed[L]{infP: interval.Int(0), infQ: interval.Int(0)}
	var none L
	var uppers []*lattice
	var lowers []L
	twoSided := true
	done, total := 0, plan.steps()
	tick := func() {
		if done++; set.Progress != nil {
			set.Progress(done, total)
		}
	}
	for _, f := range plan.factors {
		w := f.workingPrec(plan.prec)
		cut := set
		cut.Prec = plan.prec
		if f.rare {
			const most = 40 // as fine as any spacing
			cut.Points <<= min(set.Rare.Fine, most)
		}
		up, low, err := f.cut(ctx, f.mesh, w, cut)
		if err != nil {
			return nil, err
		}
		tick()
		u, err := power(ctx, up, f, set.Limit, tick)
		if err != nil || u == nil {
			return nil, err
		}
		uppers = append(uppers, u)
		if twoSided = twoSided && low != nil; !twoSided {
			continue
		}
		p, q := w.Add(low.above.p, low.inf), low.above.q
		out.infP = pair.Union(w, out.infP, pair.UnionPower(w, interval.Min(p, interval.Int(1)), f.count))
		out.infQ = pair.Union(w, out.infQ, pair.UnionPower(w, interval.Min(q, interval.Int(1)), f.count))
		l, err := power(ctx, lower(low, plan), f, set.Limit, tick)
		if err != nil || l == none {
			return nil, err
		}
		lowers = append(lowers, l)
	}
	if out.upper, err = multiply(ctx, uppers, plan.budget, set.Limit, tick); err != nil || out.upper == nil {
		return nil, err
	}
	if twoSided {
		if out.lower, err = multiply(ctx, lowers, plan.budget, set.Limit, tick); err != nil || out.lower == none {
			return nil, err
		}
	}
	return out, nil
}

// A composable is a representation of a pair on a grid.
type composable[T any] interface {
	comparable
	times(ctx context.Context, other T) (T, error)
	coarsen() T
	// cutTails drops P-mass of at most budget, in units of 2^−prec, at either end.
	cutTails(budget *big.Int) T
	size() int
}

// power returns f.count copies of a leaf, at the final spacing; zero if a vector
// exceeds the limit. The binary digits of the count are used from the top, so that
// the leaf is multiplied in at the spacing of the moment.
func power[T composable[T]](ctx context.Context, leaf T, f *factor, limit int, tick func()) (T, error) {
	var none T
	leaves := make([]T, f.levels+1) // by level: Δ·2^−level
	leaves[f.levels] = leaf
	for j := f.levels - 1; j >= 0; j-- {
		leaves[j] = leaves[j+1].coarsen()
	}
	acc, level, c := leaf, f.levels, int64(1)
	settle := func() {
		acc = acc.cutTails(f.budget(c))
		for want := min(f.levels, levelsFor(f.count, c)); level > want; level-- {
			acc = acc.coarsen()
		}
	}
	settle()
	var err error
	for bit := bits.Len64(uint64(f.count)) - 2; bit >= 0; bit-- {
		if 2*acc.size() > limit {
			return none, nil
		}
		if acc, err = acc.times(ctx, acc); err != nil {
			return none, err
		}
		c *= 2
		settle()
		if f.count>>bit&1 == 1 {
			if acc, err = acc.times(ctx, leaves[level]); err != nil {
				return none, err
			}
			c++
			settle()
		}
		tick()
	}
	return acc, nil
}

// multiply returns the product of all, shortest first; zero if a vector exceeds
// the limit.
func multiply[T composable[T]](ctx context.Context, all []T, budget *big.Int, limit int, tick func()) (T, error) {
	var none T
	for len(all) > 1 {
		slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(a.size(), b.size()) })
		if all[0].size()+all[1].size() > limit {
			return none, nil
		}
		p, err := all[0].times(ctx, all[1])
		if err != nil {
			return none, err
		}
		tick()
		all = append(all[2:], p.cutTails(budget))
	}
	return all[0], nil
}
