// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// grouped are the groups of outcomes of some steps: mass is their Q-mass and sum is E[Y₁ + … + Y_m; group], in units,
// both within a factor e^±slack. The place of a group, near the mean of what is in it, tells which group its sums go
// to.
type grouped struct {
	steps            int64
	place, mass, sum []float64
	slack            float64
}

// put adds a group, unless it is too small.
func (s *grouped) put(c *chain, mass, sum float64) {
	if mass < 0x1p-400 || sum > 0 && sum < 0x1p-400 || mass < c.small &&
		sum < float64(c.small*float64(float64(s.steps)*c.inUnit)) {
		return
	}
	s.place, s.mass, s.sum = append(s.place, sum/mass), append(s.mass, mass), append(s.sum, sum)
}

// group returns the groups of one step: the cells.
func (c *chain) group(cells []cell, w interval.Prec) grouped {
	s := grouped{steps: 1, slack: 0x1p-46}
	for _, x := range cells {
		q, p := double.Of(x.q), double.Of(w.Mul(x.p, w.Inv(w.Rat(c.unit))))
		if q.Hi <= float64(q.Lo*(1+0x1p-47)) && p.Hi <= float64(p.Lo*(1+0x1p-47)) {
			s.put(c, q.Lo, p.Lo)
		}
	}
	s.sort()
	return s
}

// sort orders the groups by place.
func (s *grouped) sort() {
	order := make([]int, len(s.place))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case s.place[i] < s.place[j]:
			return -1
		case s.place[i] > s.place[j]:
			return 1
		}
		return 0
	})
	take := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for i, k := range order {
			out[i] = x[k]
		}
		return out
	}
	s.place, s.mass, s.sum = take(s.place), take(s.mass), take(s.sum)
}

// addGroups returns the groups of two blocks of steps: of a group in either, the one that the sum of their places
// is in.
func (c *chain) addGroups(a, b grouped) grouped {
	out := grouped{steps: a.steps + b.steps}
	g := c.grid(out.steps)
	last := len(g) - 1
	t := c.rows(0, len(a.place), len(g), func(t *table, i int) {
		q, f, x, j, from := a.mass[i], a.sum[i], a.place[i], 0, 0
		hi := g[1]
		var mass, sum, masses, sums float64
		for k, m := range b.mass {
			if k&(stretch-1) == 0 {
				masses, sums, mass, sum = masses+mass, sums+sum, 0, 0
			}
			if y := x + b.place[k]; y >= hi {
				t.x[j] += masses + mass
				t.y[j] += sums + sum
				t.run = max(t.run, (k-from)/stretch)
				masses, sums, mass, sum, from = 0, 0, 0, 0, k
				for j < last && g[j+1] <= y {
					j++
				}
				hi = math.Inf(1)
				if j < last {
					hi = g[j+1]
				}
			}
			mass += float64(q * m)
			sum += float64(f*m) + float64(q*b.sum[k])
		}
		t.x[j] += masses + mass
		t.y[j] += sums + sum
		t.run = max(t.run, (len(b.mass)-from)/stretch)
	})
	out.slack = float64((a.slack + b.slack + float64((t.additions(len(a.place))+8)*(2*ulp))) * generous)
	for i := range g {
		out.put(c, t.x[i], t.y[i])
	}
	return out
}
