// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"errors"
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

// NewGrid composes a product on a grid. It reports false if a factor cannot be put
// on a grid or if a vector would get too long.
func NewGrid(ctx context.Context, prod pair.Product, set Settings) (*Grid, bool, error) {
	factors, ok := factorsOf(prod, set.Bounds)
	if !ok {
		return nil, false, nil
	}
	c, err := compose(ctx, factors, set, func(l *leaf, p *plan) *groups { return l.lower(p.prec, p.tilt) })
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

// errCrossed reports that a lower bound exceeds an upper one: a bug.
var errCrossed = errors.New("pld: internal error: the lower bound of a grid exceeds its upper bound")
