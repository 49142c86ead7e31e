// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"

	"dpverify/exact/convolve"
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
// factor. It returns nil if a factor cannot be put on a grid or if a vector would get too
// long.
func compose[L composable[L]](ctx context.Context, prod pair.Product, set Settings, lower func(*leaf, *plan) L) (*composed[L], error) {
	plan, err := newPlan(ctx, prod, set)
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
			cut.Points <<= set.Rare.Fine
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
		for want := f.level(c); level > want; level-- {
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

func (l *lattice) size() int { return l.v.Len() }
func (g *groups) size() int  { return g.a.Len() }

// cutTails of an upper bound: mass at the upper end counts as missing, hence as
// infinite loss, and mass at the lower end moves up to the first entry that stays.
func (l *lattice) cutTails(budget *big.Int) *lattice {
	lo, hi := within(l.v, budget)
	if lo == 0 && hi == l.v.Len() {
		return l
	}
	v := l.v.Slice(lo, hi)
	if lo > 0 {
		below := l.v.Slice(0, lo).Sum()
		v = v.Clone()
		v.Set(0, below.Add(below, v.At(0)))
	}
	return &lattice{offset: l.offset, step: l.step, first: l.first + int64(lo), v: v, rounding: l.rounding}
}

// cutTails of groups: they are dropped as a whole.
func (g *groups) cutTails(budget *big.Int) *groups {
	return g.slice(within(g.a, budget))
}

// within returns the range that stays when at most budget is cut off at either end.
func within(v convolve.Vector, budget *big.Int) (lo, hi int) {
	lo, hi = 0, v.Len()
	for sum := new(big.Int); hi-lo > 1; lo++ {
		if sum.Add(sum, v.At(lo)).Cmp(budget) > 0 {
			break
		}
	}
	for sum := new(big.Int); hi-lo > 1; hi-- {
		if sum.Add(sum, v.At(hi-1)).Cmp(budget) > 0 {
			break
		}
	}
	return lo, hi
}
