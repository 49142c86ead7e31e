package pld

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpverify/exact/convolve"
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
	lower      *suffixes         // nil: no lower bound
	infP, infQ interval.Interval // the group of losses above the grid, in lower
}

// Settings say how fine a grid is. They affect width and cost, not soundness.
type Settings struct {
	Points int  // about how many points the final grid has
	Prec   uint // fraction bits of masses
	Cut    int  // tails of about 2^−Cut of P-mass in all may be cut off
	Limit  int  // largest length of a vector
	// Bounds, if not nil, bounds the profile of a pair that has neither tails nor
	// outcomes from above, or returns nil. With such a factor there is no lower
	// bound.
	Bounds func(pair.Pair) profile.Func
	// Leaves, if not nil, remembers factors cut into cells, for a grid of the
	// reversed product.
	Leaves *Leaves
	// Progress, if not nil, is told how much is done.
	Progress func(done, total int)
}

// Leaves remembers factors cut into cells. The zero value is ready for use, by one
// goroutine.
type Leaves struct{ known map[string]*leaf }

// cut returns the cells of a factor.
func (m *Leaves) cut(ctx context.Context, f *factor, n int, w interval.Prec) (*leaf, error) {
	key := fmt.Sprintf("%s %s %d %d %d %d", f.pair, f.delta.RatString(), f.lo, f.hi, n, w)
	l, ok := (*leaf)(nil), false
	if m != nil {
		l, ok = m.known[key]
	}
	if !ok {
		var err error
		if l, err = f.source.cut(ctx, f.delta, f.lo, f.hi, n, w); err != nil {
			return nil, err
		}
		if m != nil {
			if m.known == nil {
				m.known = make(map[string]*leaf)
			}
			m.known[key] = l
		}
	}
	if f.reversed {
		l = l.reverse()
	}
	return l, nil
}

// NewGrid composes a product on a grid. It reports false if a factor cannot be put
// on a grid or if a vector would get too long.
func NewGrid(ctx context.Context, prod pair.Product, set Settings) (*Grid, bool, error) {
	c, ok, err := compose(ctx, prod, set, false)
	if !ok {
		return nil, false, err
	}
	g := &Grid{upper: newSums(c.upper), infP: c.infP, infQ: c.infQ}
	if c.lower != nil {
		g.lower = c.lower.suffixes()
	}
	p := interval.Prec(set.Prec) + 64
	lost := p.Sub(interval.Int(1), p.Scale(p.BigInt(c.upper.v.Sum()), -int(set.Prec)))
	g.missing = interval.Max(lost, interval.Int(0))
	return g, true, nil
}

// A composed product is its dominating pair on a grid and, unless a factor only has an
// upper bound, a post-processing of it, apart from the group above the grid.
type composed struct {
	upper      *lattice
	lower      *groups
	bracket    *bracket // instead of lower, if asked for
	infP, infQ interval.Interval
}

// compose composes a product. It reports false if a factor cannot be put on a grid or
// if a vector would get too long.
func compose(ctx context.Context, prod pair.Product, set Settings, bothSides bool) (*composed, bool, error) {
	prec := set.Prec
	plan, ok, err := newPlan(ctx, prod, set)
	if !ok {
		return nil, false, err
	}
	out := &composed{infP: interval.Int(0), infQ: interval.Int(0)}
	var uppers []*lattice
	var lowers []*groups
	var brackets []*bracket
	oneSided := false // a factor has an upper bound only
	done, total := 0, plan.steps()
	tick := func() {
		if done++; set.Progress != nil {
			set.Progress(done, total)
		}
	}
	for _, f := range plan.factors {
		w := f.workingPrec(prec)
		if f.bound != nil {
			oneSided = true
			l, err := f.cutBound(ctx, f.delta, f.lo, f.hi, set.Points, w, prec)
			if err != nil {
				return nil, false, err
			}
			tick()
			u, err := power(ctx, l, f, set.Limit, tick)
			if err != nil || u == nil {
				return nil, false, err
			}
			uppers = append(uppers, u)
			continue
		}
		var up, low *leaf
		if f.sample != nil {
			up, low = f.cutSample(f.delta, f.lo, f.hi, w)
		} else {
			l, err := set.Leaves.cut(ctx, f, set.Points, w)
			if err != nil {
				return nil, false, err
			}
			up, low = l, l
		}
		tick()
		p, q := w.Add(low.above.p, low.inf), low.above.q
		out.infP = pair.Union(w, out.infP, pair.UnionPower(w, interval.Min(p, interval.Int(1)), f.count))
		out.infQ = pair.Union(w, out.infQ, pair.UnionPower(w, interval.Min(q, interval.Int(1)), f.count))
		u, err := power(ctx, up.upper(w, prec), f, set.Limit, tick)
		if err != nil || u == nil {
			return nil, false, err
		}
		uppers = append(uppers, u)
		if oneSided {
			continue
		}
		if bothSides {
			b, err := power(ctx, low.bracket(prec), f, set.Limit, tick)
			if err != nil || b == nil {
				return nil, false, err
			}
			brackets = append(brackets, b)
			continue
		}
		d, err := power(ctx, low.lower(prec, plan.tilt), f, set.Limit, tick)
		if err != nil || d == nil {
			return nil, false, err
		}
		lowers = append(lowers, d)
	}
	if out.upper, err = multiply(ctx, uppers, plan.budget, set.Limit, tick); err != nil || out.upper == nil {
		return nil, false, err
	}
	switch {
	case oneSided:
	case bothSides:
		if out.bracket, err = multiply(ctx, brackets, plan.budget, set.Limit, tick); err != nil || out.bracket == nil {
			return nil, false, err
		}
	default:
		if out.lower, err = multiply(ctx, lowers, plan.budget, set.Limit, tick); err != nil || out.lower == nil {
			return nil, false, err
		}
	}
	return out, true, nil
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
	if g.lower == nil {
		return interval.Union(interval.Int(0), interval.Min(p.Round(u), interval.Int(1))), nil
	}
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
	lo, hi := tails(l.v, budget)
	if lo == 0 && hi == l.v.Len() {
		return l
	}
	v := l.v.Slice(lo, hi)
	if lo > 0 {
		below := l.v.Slice(0, lo).Sum()
		v = v.Clone()
		v.Set(0, below.Add(below, v.At(0)))
	}
	return &lattice{offset: l.offset, step: l.step, first: l.first + int64(lo), v: v}
}

// cutTails of groups: they are dropped as a whole.
func (g *groups) cutTails(budget *big.Int) *groups {
	return g.slice(tails(g.a, budget))
}

// tails returns the range that stays when at most budget is cut off at either end.
func tails(v convolve.Vector, budget *big.Int) (lo, hi int) {
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
