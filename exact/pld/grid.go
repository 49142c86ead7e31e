package pld

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// A Grid bounds the profile of a product of any pairs that are not on a lattice by
// themselves: from above by a dominating pair on a grid of losses (leaf.upper) and
// from below by a post-processing (leaf.lower).
//
// Both errors are of second order in the spacing Δ where the profile is smooth at
// its scale. The spacing of a factor that is composed k times starts at about
// Δ/√k and doubles as powers are taken, so that all steps contribute alike and
// vectors keep their length.
type Grid struct {
	upper      *sums
	missing    interval.Interval // P-mass that upper counts as infinite loss
	lower      *suffixes
	infP, infQ interval.Interval // the group of losses above the grid, in lower
}

// NewGrid composes a product on a grid of about n points with masses of prec
// fraction bits. It reports false if a factor cannot be put on a grid or if a vector
// would have more than limit entries. progress, if not nil, is told how much is
// done.
func NewGrid(ctx context.Context, prod pair.Product, n int, prec uint, limit int, progress func(done, total int)) (*Grid, bool, error) {
	plan, ok := newPlan(prod, n, prec, limit)
	if !ok {
		return nil, false, nil
	}
	g := &Grid{infP: interval.Int(0), infQ: interval.Int(0)}
	var uppers []*lattice
	var lowers []*groups
	done, total := 0, plan.steps()
	tick := func() {
		if done++; progress != nil {
			progress(done, total)
		}
	}
	for _, f := range plan.factors {
		w := f.workingPrec(prec)
		l, err := f.cut(ctx, f.delta, f.lo, f.hi, 4*n, w)
		if err != nil {
			return nil, false, err
		}
		tick()
		p, q := w.Add(l.above.p, l.inf), l.above.q
		g.infP = pair.Union(w, g.infP, pair.UnionPower(w, interval.Min(p, interval.Int(1)), f.count))
		g.infQ = pair.Union(w, g.infQ, pair.UnionPower(w, interval.Min(q, interval.Int(1)), f.count))
		u, err := power(ctx, l.upper(w, prec), f, limit, tick)
		if err != nil || u == nil {
			return nil, false, err
		}
		uppers = append(uppers, u)
		d, err := power(ctx, l.lower(prec), f, limit, tick)
		if err != nil || d == nil {
			return nil, false, err
		}
		lowers = append(lowers, d)
	}
	u, err := multiply(ctx, uppers, limit, tick)
	if err != nil || u == nil {
		return nil, false, err
	}
	d, err := multiply(ctx, lowers, limit, tick)
	if err != nil || d == nil {
		return nil, false, err
	}
	g.upper, g.lower = newSums(u), d.suffixes()
	p := interval.Prec(prec) + 64
	lost := p.Sub(interval.Int(1), p.Scale(p.BigInt(u.v.Sum()), -int(prec)))
	g.missing = interval.Max(lost, interval.Int(0))
	return g, true, nil
}

// Delta returns an enclosure of δ(ε). It is a profile.Func.
func (g *Grid) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	w := p + 32
	e := eps(w)
	if !e.IsFinite() {
		return profile.Unit(), nil
	}
	u, err := g.upper.delta(ctx, p, eps)
	if err != nil {
		return profile.Unit(), err
	}
	u = w.Add(u, g.missing)
	l := g.lower.atLeast(w, e)
	inf := w.Sub(g.infP, w.Mul(w.Exp(e), g.infQ))
	l = w.Add(l, interval.Max(interval.Int(0), inf))
	lo, hi := p.Round(l).Lo(), interval.Min(p.Round(u), interval.Int(1)).Hi()
	if lo.Sign() < 0 {
		lo = new(big.Float)
	}
	if lo.Cmp(hi) > 0 {
		// Two sound bounds cannot cross: let the front door see both.
		return interval.Interval{}, errCrossed
	}
	return interval.Bounds(lo, hi), nil
}

// A composable is a representation of a pair on a grid.
type composable[T any] interface {
	comparable
	times(ctx context.Context, other T) (T, error)
	coarsen() T
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
		for want := f.level(c); level > want; level-- {
			acc = acc.coarsen()
		}
	}
	settle()
	var err error
	for bit := bitLen(int(f.count)) - 2; bit >= 0; bit-- {
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
func multiply[T composable[T]](ctx context.Context, all []T, limit int, tick func()) (T, error) {
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
		all = append(all[2:], p)
	}
	return all[0], nil
}

func (l *lattice) size() int { return l.v.Len() }
func (g *groups) size() int  { return g.a.Len() }
