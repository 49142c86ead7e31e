// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import "dpverify/exact/double"

// ratio is how many cells of a grid are one of the coarse grid. Grids begin and end at its points.
const ratio = 2

// coarse is the grid of every ratio-th point.
func (g *grid) coarse() *grid {
	return &grid{first: g.first / ratio, n: (g.n-1)/ratio + 1, delta: g.delta * ratio, tilt: g.tilt * ratio,
		t: double.NewTransform(max(g.t.Length()/ratio, 2))}
}

// A coarseSide is a family on the coarse grid, which takes a step of V there from above: V is convex, so that its
// chords between points of the coarse grid are not below it, nor those of what a pair makes of these.
type coarseSide struct {
	side       *side
	of         *family
	left, rest [ratio]float64 // weights of the two ends of a chord, from one of its points on
}

func newCoarseSide(g *grid, f *family) *coarseSide {
	c := &coarseSide{side: g.newSide(true), of: f}
	fine := grid{delta: g.delta / ratio, tilt: g.tilt / ratio}
	one := double.Int(1)
	all := fine.alpha(ratio).Sub(one)
	for i := range ratio {
		part := fine.alpha(i).Sub(one).Div(all)
		c.left[i] = one.Sub(part).Mul(fine.weight(i)).AtLeastZero().Hi
		c.rest[i] = part.Mul(fine.weight(i - ratio)).AtLeastZero().Hi
	}
	return c
}

// step raises next to what the family makes of v.
func (c *coarseSide) step(v, next []float64) {
	s := c.side
	for i := range s.v {
		s.v[i] = v[i*ratio]
	}
	s.step(c.of)
	for i := range next {
		k, r := i/ratio, i%ratio
		x := float64(c.left[r] * s.v[k])
		if r > 0 {
			x = (x + float64(c.rest[r]*s.v[k+1])) * (1 + slack)
		}
		next[i] = max(next[i], x)
	}
}
