// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A spread is a law of the sum of some steps on places, larger in convex order but for what is left out. The
// mass of a place is at least the number here, and at most e^slack times as much.
type spread struct {
	steps       int64
	place, mass []float64
	slack       float64
	// lost bounds the Q-mass of what is left out, and far E[the sum of all steps; it is left out], in units.
	lost, far float64
}

// leave counts mass at a place as left out.
func (s *spread) leave(c *chain, mass, place float64) {
	mass *= factor(s.slack).Hi
	s.lost += mass
	s.far += float64(mass * (place + float64(float64(c.steps-s.steps)*c.inUnit)))
}

// put adds a mass, or leaves it out where it is too small.
func (s *spread) put(c *chain, place, mass float64) {
	switch {
	case mass <= 0:
	case mass < c.small*0x1p-60 || mass < c.small &&
		float64(mass*(place+float64(float64(c.steps)*c.inUnit))) < float64(float64(c.small*c.inUnit)*float64(c.steps)):
		s.leave(c, mass, place)
	default:
		s.place, s.mass = append(s.place, place), append(s.mass, mass)
	}
}

// generous covers the rounding of sums of fewer than 2^30 numbers.
const generous = 1 + 0x1p-20

// spread returns the law of one step: each cell is split onto its ends.
func (c *chain) spread(cells []cell, rest cell, w interval.Prec) spread {
	s := spread{steps: 1, slack: 0x1p-46}
	masses := make([]interval.Interval, len(c.grid(1)))
	places := c.grid(1)
	unit := w.Rat(c.unit)
	at := func(i int) interval.Interval {
		return w.Mul(unit, double.Interval{Lo: places[i], Hi: places[i]}.Exact())
	}
	beyond := rest
	for _, x := range cells {
		if x.hi == len(places) {
			beyond.p, beyond.q = w.Add(beyond.p, x.p), w.Add(beyond.q, x.q)
			continue
		}
		width := w.Sub(at(x.hi), at(x.lo))
		masses[x.hi] = w.Add(masses[x.hi], interval.Max(interval.Int(0), w.Div(w.Sub(x.p, w.Mul(at(x.lo), x.q)), width)))
		masses[x.lo] = w.Add(masses[x.lo], interval.Max(interval.Int(0), w.Div(w.Sub(w.Mul(at(x.hi), x.q), x.p), width)))
	}
	for i, x := range masses {
		m := double.Of(x)
		if m.Hi <= float64(m.Lo*(1+0x1p-47)) {
			s.put(c, places[i], m.Lo)
		} else {
			s.leave(c, m.Hi, places[i])
		}
	}
	p, q := double.Of(beyond.p).Hi, double.Of(beyond.q).Hi
	s.lost += q
	s.far += float64(c.inUnit*p) + float64(float64(c.inUnit*q)*float64(c.steps))
	s.lost, s.far = float64(s.lost*generous), float64(s.far*generous)
	return s
}

// addSpread returns the sum of two blocks of steps, spread onto a grid.
func (c *chain) addSpread(a, b spread) spread {
	out := spread{steps: a.steps + b.steps, lost: a.lost + b.lost, far: a.far + b.far}
	g := c.grid(out.steps)
	last := len(g) - 1
	lost, far := make([]float64, len(a.place)), make([]float64, len(a.place))
	rest := float64(float64(c.steps-out.steps) * c.inUnit)
	t := c.rows(0, len(a.place), len(g), func(t *table, i int) {
		p, x, j, from := a.mass[i], a.place[i], 0, 0
		lo, hi := g[0], g[1]
		var up, down, ups, downs float64 // what goes to the upper end, times the width, and to the lower end
		for k, m := range b.mass {
			y := x + b.place[k]
			if k&(stretch-1) == 0 {
				ups, downs, up, down = ups+up, downs+down, 0, 0
			}
			if y >= hi {
				t.x[j] += ups + up
				t.y[j] += downs + down
				t.run = max(t.run, (k-from)/stretch)
				ups, downs, up, down, from = 0, 0, 0, 0, k
				for j < last && g[j+1] <= y {
					j++
				}
				if j == last {
					for ; k < len(b.mass); k++ {
						r := float64(p * b.mass[k])
						lost[i] += r
						far[i] += float64(r * (x + b.place[k] + rest))
					}
					return
				}
				lo, hi = g[j], g[j+1]
			}
			r := float64(p * m)
			up += float64(r * (y - lo))
			down += float64(r * (hi - y))
		}
		t.x[j] += ups + up
		t.y[j] += downs + down
		t.run = max(t.run, (len(b.mass)-from)/stretch)
	})
	var moreLost, moreFar float64
	for i := range lost {
		moreLost += lost[i]
		moreFar += far[i]
	}
	// Two products, the additions, a division, an addition and this product.
	errs := float64((t.additions(len(a.place)) + 8) * ulp)
	down := 1 - errs
	out.slack = float64((a.slack + b.slack + 3*errs) * generous)
	for i := range g {
		m := 0.0
		if i > 0 {
			m = t.x[i-1] / (g[i] - g[i-1])
		}
		if i < last {
			m += t.y[i] / (g[i+1] - g[i])
		}
		out.put(c, g[i], float64(m*down))
	}
	scale := factor(out.slack).Hi * generous // what is left out is a product of masses that are too small
	out.lost += float64(moreLost * scale)
	out.far += float64(moreFar * scale)
	out.lost, out.far = float64(out.lost*generous), float64(out.far*generous)
	return out
}
