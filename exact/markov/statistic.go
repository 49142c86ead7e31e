// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package markov

import (
	"context"
	"math"
	"sort"

	"dpverify/exact/convolve"
	"dpverify/exact/double"
)

// A statistic bounds δ from below. With y ~ N(0, I) under Q and N(rows_i, I) under P_i, of which P is the mean, it is
// a function of y: which place a sum falls into that grows along a chain,
//
//	x_0 = y_0,  x_t = rho·x_{t−1} + y_t,  term t about exp(now_t·x_t + before_t·x_{t−1} + first_t·x_0 + rest_t).
//
// Each x_t is replaced by the number of a lattice that is nearest to rho times the one of x_{t−1}, plus y_t, and x_0
// in the terms by the middle of a layer, which is a range of numbers. All of that is rounded somehow, for good: what
// place is reached is a function of y, and what it is matters only for the width. What has little mass is left out
// under all measures alike, as if it were not looked at.
type statistic struct {
	rows                     [][]float64
	rho                      float64
	now, before, first, rest []float64
	us                       lattice
	per                      int // numbers of a layer; 0: there is one layer
	reach                    float64
	places                   []float64 // rising, from 0 on, in units
	unit                     float64
	passes                   [][]flow // by step
	widths                   []int    // how many measures there are after each step
}

// A flow is where a measure comes from in a step, by its number before and after it, and how far y_t is shifted.
type flow struct {
	from, to int
	shift    float64
}

// The measures with the first numbers: Q, and the sum of those P_i that are Q from here on.
const (
	asBefore = iota
	finished
	others
)

// plan lists the flows. P_i is Q before its first shift, and after its last one as well.
func (s *statistic) plan() {
	steps := len(s.now)
	first, last := make([]int, len(s.rows)), make([]int, len(s.rows))
	for i, row := range s.rows {
		first[i] = steps // never
		for t, x := range row {
			if x != 0 {
				first[i], last[i] = min(first[i], t), t
			}
		}
	}
	at := make([]int, len(s.rows)) // their numbers
	s.passes, s.widths = nil, nil
	for t := range steps {
		flows, n := []flow{{asBefore, asBefore, 0}, {finished, finished, 0}}, others
		if t == 0 {
			flows = flows[:1]
		}
		for i, row := range s.rows {
			switch {
			case first[i] > last[i] && t == 0: // Q itself
				flows = append(flows, flow{asBefore, finished, 0})
				continue
			case t < first[i] || t > last[i]:
				continue
			}
			f := flow{at[i], finished, row[t]}
			if t == first[i] {
				f.from = asBefore
			}
			if t < last[i] {
				at[i], f.to = n, n
				n++
			}
			flows = append(flows, f)
		}
		s.passes, s.widths = append(s.passes, flows), append(s.widths, n)
	}
}

// layers is how many ranges the numbers of x_0 are divided into.
func (s *statistic) layers() int {
	if s.per == 0 {
		return 1
	}
	return (s.us.n + s.per - 1) / s.per
}

// layer is the range of a number, and middle about its middle.
func (s *statistic) layer(k int) int {
	if s.per == 0 {
		return 0
	}
	return k / s.per
}

func (s *statistic) middle(z int) float64 {
	if s.per == 0 {
		return 0
	}
	return float64(s.us.h * (float64(s.us.first+z*s.per) + float64(s.per-1)/2))
}

// term is that of a step.
func (s *statistic) term(t int, x, y, z float64) float64 {
	e := float64(s.now[t]*x) + float64(s.before[t]*y) + float64(s.first[t]*z) + s.rest[t]
	return double.Exp64(min(e, 600)) / s.unit
}

// A node has the masses of all measures at the places from lo on.
type node struct {
	lo   int
	mass [][]float64
}

// A test has the masses of places under Q, and those of all P_i together, each within a factor e^±slack.
type test struct {
	bins  int
	q, p  []float64
	slack float64
}

// run returns the masses of the places.
func (s *statistic) run(ctx context.Context, cut int) (*test, error) {
	s.plan()
	tiny := math.Ldexp(1, -cut) / float64(s.layers()*s.us.n) / float64(len(s.places)*len(s.now))
	shift := 0.0
	for _, row := range s.rows {
		for _, x := range row {
			shift = max(shift, math.Abs(x))
		}
	}
	b := newTable(cells, 1, s.us.h, max(s.reach+shift, -s.us.at(0), s.us.at(s.us.n-1))+shift+1)
	// A distance is rounded where it is multiplied, and twice where something is subtracted.
	miss := b.off(float64(8 * ulp * (shift + max(-s.us.at(0), s.us.at(s.us.n-1)))))
	slack := float64(float64(len(s.rows)+2) * ulp)
	now := make([][]node, s.layers())
	for z := range now {
		now[z] = make([]node, s.us.n)
	}
	for k := range s.us.n {
		x, z := s.us.at(k), s.layer(k)
		to := newNode(s.widths[0], 0, len(s.places))
		sum := s.term(0, x, 0, s.middle(z)) // of which i is the last place that is not above
		i := max(sort.Search(len(s.places), func(i int) bool { return !(s.places[i] <= sum) })-1, 0)
		for _, f := range s.passes[0] {
			to.mass[f.to][i] += b.at(x - f.shift)
		}
		now[z][k] = to.trimmed(tiny)
	}
	slack += miss
	for t := 1; t < len(s.now); t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next, err := s.step(ctx, t, b, now, tiny)
		if err != nil {
			return nil, err
		}
		// One product, and sums of that many numbers.
		slack += miss + float64(float64(2*s.us.n*len(s.places)*(len(s.rows)+1)+8)*ulp)
		now = next
	}
	out := &test{bins: len(s.rows), q: make([]float64, len(s.places)), p: make([]float64, len(s.places))}
	for _, nodes := range now {
		for _, n := range nodes {
			if n.mass == nil {
				continue
			}
			for i := range n.mass[asBefore] {
				out.q[n.lo+i] += n.mass[asBefore][i]
				out.p[n.lo+i] += n.mass[finished][i]
			}
		}
	}
	out.slack = float64((slack + float64(float64(2*s.us.n*s.layers()+8)*ulp)) * generous)
	return out, nil
}

func newNode(measures, lo, n int) node {
	out := node{lo: lo, mass: make([][]float64, measures)}
	for i := range out.mass {
		out.mass[i] = make([]float64, n)
	}
	return out
}

// trimmed leaves out, under all measures, what is small under each of them: at the ends, and between them.
func (n node) trimmed(tiny float64) node {
	lo, hi := len(n.mass[0]), 0
	for i := range n.mass[0] {
		most := 0.0
		for _, m := range n.mass {
			most = max(most, m[i])
		}
		if most >= tiny {
			lo, hi = min(lo, i), i+1
			continue
		}
		for _, m := range n.mass {
			m[i] = 0
		}
	}
	if lo >= hi {
		return node{}
	}
	for i, m := range n.mass {
		n.mass[i] = m[lo:hi:hi]
	}
	n.lo += lo
	return n
}

// step adds the term of a step to all sums.
func (s *statistic) step(ctx context.Context, t int, b *table, now [][]node, tiny float64) ([][]node, error) {
	flows := s.passes[t]
	least, most := 0.0, 0.0
	var shifts []float64
	which := make([]int, len(flows))
	for k, f := range flows {
		least, most = min(least, f.shift), max(most, f.shift)
		for which[k] = 0; which[k] < len(shifts) && shifts[which[k]] != f.shift; which[k]++ {
		}
		if which[k] == len(shifts) {
			shifts = append(shifts, f.shift)
		}
	}
	next := make([][]node, len(now))
	for z := range next {
		next[z] = make([]node, s.us.n)
	}
	err := convolve.Parallel(ctx, s.us.n, func(j int) {
		x := s.us.at(j)
		to := make([]int32, len(s.places))
		w := make([]float64, len(shifts))
		for k := range s.us.n {
			d := x - float64(s.rho*s.us.at(k))
			if d < least-s.reach || d > most+s.reach {
				continue // what goes that far is left out
			}
			made := -1.0
			have := false
			for z := range now {
				from := now[z][k]
				if from.mass == nil {
					continue
				}
				if !have {
					for i, shift := range shifts {
						w[i] = b.at(d - shift)
					}
					have = true
				}
				if term := s.term(t, x, s.us.at(k), s.middle(z)); term != made {
					s.move(to, term)
					made = term
				}
				if next[z][j].mass == nil {
					next[z][j] = newNode(s.widths[t], 0, len(s.places))
				}
				goal := to[from.lo : from.lo+len(from.mass[0])]
				for i, f := range flows {
					out, w := next[z][j].mass[f.to], w[which[i]]
					for i, m := range from.mass[f.from] {
						out[goal[i]] += float64(m * w)
					}
				}
			}
		}
		for z := range next {
			if next[z][j].mass != nil {
				next[z][j] = next[z][j].trimmed(tiny)
			}
		}
	})
	return next, err
}

// move fills in where each place goes by a term: the sums of a place are about in the middle between it and the next.
func (s *statistic) move(to []int32, term float64) {
	j, n := 0, len(s.places)
	for i, x := range s.places {
		if i+1 < n {
			x = (x + s.places[i+1]) / 2
		}
		for x += term; j+1 < n && s.places[j+1] <= x; j++ {
		}
		to[i] = int32(j)
	}
}

// below bounds δ at α from below: by P − αQ of the places where that is above 0, or by Q − αP.
//
// Products that are below 2^−1022 miss at most 2^−1075 each, and what follows does not enlarge that: of fewer than 2^60
// of them all together less than 2^−1000.
func (l *test) below(alpha double.Interval, reversed bool) double.Interval {
	total, wide := double.Point(0), double.Interval{Lo: -l.slack, Hi: l.slack}.Exp()
	tiny := double.Interval{Lo: -0x1p-1000, Hi: 0x1p-1000}
	bins := double.Int(int64(l.bins))
	for i := range l.q {
		if l.q[i] == 0 && l.p[i] == 0 {
			continue
		}
		q, p := double.Point(l.q[i]).Add(tiny).Mul(wide), double.Point(l.p[i]).Add(tiny).Mul(wide).Div(bins)
		if reversed {
			p, q = q, p
		}
		total = total.Add(p.Sub(alpha.Mul(q)).AtLeastZero())
	}
	return total.Lower()
}

// gramOf encloses the inner products of rows.
func gramOf(rows [][]float64) [][]double.Interval {
	out := make([][]double.Interval, len(rows))
	for i, a := range rows {
		out[i] = make([]double.Interval, len(rows))
		for j, b := range rows {
			sum := double.Point(0)
			for k := range a {
				sum = sum.Add(double.Point(a[k]).Mul(double.Point(b[k])))
			}
			out[i][j] = sum
		}
	}
	return out
}
