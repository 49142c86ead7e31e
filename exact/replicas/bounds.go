// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package replicas

import (
	"context"
	"fmt"
	"sync"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Tables keep what bounds are made of, which serves both directions. The zero value is ready for use, by one goroutine.
type Tables struct{ known map[string]*table }

// A table has the cells of a mechanism, once it is asked for them.
type table struct {
	Mechanism
	set Settings

	mu    sync.Mutex
	tried bool
	known []cell
}

// Bounds bound the profile of a mechanism, or of its reverse. They may be used by several goroutines.
type Bounds struct {
	*table
	reversed bool
}

// Bounds returns bounds that do their work when they are first asked.
func (t *Tables) Bounds(m Mechanism, reversed bool, set Settings) *Bounds {
	key := fmt.Sprintf("%s %+v", m.Law, set)
	if t.known == nil {
		t.known = make(map[string]*table)
	}
	if t.known[key] == nil {
		t.known[key] = &table{Mechanism: m, set: set}
	}
	return &Bounds{t.known[key], reversed}
}

// get returns the cells, nil if there are none.
func (t *table) get(ctx context.Context) ([]cell, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tried {
		return t.known, nil
	}
	cells, err := t.cells(ctx, t.set)
	if err == nil {
		t.known, t.tried = cells, true
	}
	return cells, err
}

// Delta encloses δ at e^eps.
func (b *Bounds) Delta(ctx context.Context, eps interval.Interval) (interval.Interval, error) {
	unknown := interval.Union(interval.Int(0), interval.Int(1))
	cells, err := b.get(ctx)
	a := double.Of(interval.Prec(64).Exp(eps))
	if err != nil || cells == nil || !a.IsFinite() || !(a.Lo > 0) {
		return unknown, err
	}
	lows, highs := make([]float64, len(cells)), make([]float64, len(cells))
	err = convolve.Parallel(ctx, len(cells), func(k int) {
		lows[k], highs[k] = cells[k].bounds(a, b.reversed)
	})
	if err != nil {
		return unknown, err
	}
	lo, hi := double.Point(0), double.Point(0)
	for k := range cells {
		lo, hi = lo.Add(double.Point(lows[k])), hi.Add(double.Point(highs[k]))
	}
	return double.Interval{Lo: min(max(lo.Lo, 0), 1), Hi: min(hi.Hi, 1)}.Exact(), nil
}

// bounds are of E(S − α)₊ in a cell or, reversed, of E(1 − α·S)₊ = α·E(1/α − S)₊.
func (c cell) bounds(alpha double.Interval, reversed bool) (lo, hi float64) {
	if !(c.moments[0].Hi > 0) {
		return 0, 0
	}
	if !reversed {
		return c.call(alpha.Hi, false).Lo, c.call(alpha.Lo, true).Hi
	}
	g := double.Point(1).Div(alpha)
	return c.put(g.Lo, false).Mul(alpha).AtLeastZero().Lo, c.put(g.Hi, true).Mul(alpha).Hi
}

// call bounds E(S − g)₊ from one side.
func (c cell) call(g float64, above bool) double.Interval {
	straight := c.moments[1].Sub(c.moments[0].Mul(double.Point(g)))
	if !above {
		f, end := c.tryCallBelow(g)
		return double.Max(straight.AtLeastZero(), c.callBelow(g, end, f)).Lower()
	}
	best := double.Min(c.moments[1], straight.AtLeastZero().Add(c.putAbove(g, c.tryPutAbove(g))))
	return double.Min(best, c.callAbove(g, c.tryCallAbove(g))).Upper()
}

// put bounds E(g − S)₊ from one side.
func (c cell) put(g float64, above bool) double.Interval {
	straight := c.moments[0].Mul(double.Point(g)).Sub(c.moments[1])
	if !above {
		return double.Max(straight.AtLeastZero(), c.putBelow(g, c.tryPutBelow(g))).Lower()
	}
	best := double.Min(c.moments[0].Mul(double.Point(g)), straight.AtLeastZero().Add(c.callAbove(g, c.tryCallAbove(g))))
	return double.Min(best, c.putAbove(g, c.tryPutAbove(g))).Upper()
}
