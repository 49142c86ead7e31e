// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A profileRow has upper bounds of a profile at the points of a grid, from a first one on.
type profileRow struct {
	first int
	h     []float64
}

// rowOf are the values of the profile of a table.
func rowOf(t Table, g *grid) profileRow {
	row := profileRow{t.first, make([]float64, len(t.mass))}
	shrink := g.alpha(-1)
	var all, part double.Interval // the masses beyond point k, and these times α_k/α_i
	for k := len(t.mass) - 1; k >= 0; k-- {
		row.h[k] = all.Sub(part).AtLeastZero().Add(double.Point(t.infinite)).Hi
		m := double.Point(t.mass[k])
		all, part = all.Add(m), shrink.Mul(part.Add(m))
	}
	return row
}

// and is at each point the greater of the two.
func (x profileRow) and(y profileRow) profileRow {
	out := profileRow{x.first, slices.Clone(x.h)}
	for i, h := range y.h {
		out.h[i] = max(out.h[i], h)
	}
	return out
}

// table is what has chords between the points, as values.above has it.
func (x profileRow) table(g *grid, w interval.Prec) Table {
	v := &values{w: w, delta: ratOf(g.delta), lo: x.first, hi: x.first + len(x.h) - 1}
	v.h = make([]interval.Interval, 2*len(x.h)-1)
	for k, h := range x.h {
		v.h[2*k] = number(h)
	}
	return v.above()
}

// RecordMoves is about how many pairs of the grid a step with Records costs.
const RecordMoves = 32
