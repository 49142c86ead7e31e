// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"math/big"

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
	// Rare is for products with factors whose rare losses exceed the usual ones of the sum.
	Rare Rare
	// Bounds, if not nil, bounds the profile of a pair that has neither tails nor
	// outcomes from above. With such a factor there is no lower bound.
	Bounds func(pair.Pair) Bound
	// Leaves, if not nil, remembers factors cut into cells, for a grid of the
	// reversed product.
	Leaves *Leaves
	// Progress, if not nil, is told how much is done.
	Progress func(done, total int)
}

// A Bound is a profile from above, nil if there is none.
type Bound struct {
	Profile profile.Func
	// Values is how many values it is asked for at most, 0 for as many as a grid has points: each may be dear.
	Values int
}

// Rare says how a product is put on a grid whose small δ may come of rare losses.
type Rare struct {
	Fine int  // log2 of how much finer factors are cut: masses count against δ, not against 1
	Prec uint // fraction bits of masses, if more than usual
}

// NewGrid composes a product on a grid. It reports false if a factor cannot be put
// on a grid or if a vector would get too long.
func NewGrid(ctx context.Context, prod pair.Product, set Settings) (*Grid, bool, error) {
	c, err := compose(ctx, prod, set, func(l *leaf, p *plan) *groups { return l.lower(p.prec, p.tilt) })
	if c == nil {
		return nil, false, err
	}
	g := &Grid{upper: newSums(c.upper), infP: c.infP, infQ: c.infQ}
	if c.lower != nil {
		g.lower = c.lower.suffixes()
	}
	prec := c.upper.v.Prec()
	p := interval.Prec(prec) + 64
	lost := p.Sub(interval.Int(1), p.Scale(p.BigInt(c.upper.v.Sum()), -int(prec)))
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
