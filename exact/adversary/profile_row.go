// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"slices"

	"dpverify/exact/double"
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

// table has chords between the points, as values.above, whose formula for the masses it has: they are rounded up.
func (x profileRow) table(g *grid) Table {
	n := len(x.h)
	t := Table{first: x.first, mass: make([]float64, n), infinite: x.h[n-1]}
	rho := g.alpha(1)
	less := double.Of(wide.Expm1(double.Exactly(g.delta)))
	var next double.Interval // the fall to the next point
	for i := n - 1; i > 0; i-- {
		fall := double.Point(x.h[i-1]).Sub(double.Point(x.h[i]))
		t.mass[i] = max(0, rho.Mul(fall).Sub(next).Div(less).Hi)
		next = fall
	}
	t.mass[0] = max(0, double.Int(1).Sub(double.Point(x.h[0])).Sub(next.Div(less)).Hi)
	return t
}

// RecordMoves is about how many pairs of the grid a step with Records costs.
const RecordMoves = 16
