// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// leaf is a pair cut into cells. below and above are the cells [−∞, x_lo] and
// (x_hi, ∞]; of the latter, inf is known to have infinite loss.
//
// Its cells are in words, in ascending order, or in intervals: one of the two lists is empty.
type leaf struct {
	mesh
	words        []wordCell
	cells        []cell
	below, above cell
	inf          interval.Interval
}

// reverse returns the leaf of the reversed pair: losses change their sign and the
// masses change places. Cells are closed at the other end now, which matters to
// neither bound.
func (l *leaf) reverse() *leaf {
	r := &leaf{mesh: mesh{l.delta, -l.hi, -l.lo}}
	for k := len(l.words) - 1; k >= 0; k-- {
		c := l.words[k]
		r.words = append(r.words, wordCell{-c.hi, -c.lo, c.q, c.p})
	}
	for _, c := range l.cells {
		r.cells = append(r.cells, cell{-c.hi, -c.lo, c.q, c.p})
	}
	// Outcomes with Q = 0 are in inf and have no mass under the new P.
	r.above = cell{p: l.below.q, q: l.below.p}
	r.below = cell{p: l.above.q, q: l.above.p}
	return r
}

// addOutcomes puts every outcome into the cell of its loss.
//
// A loss l that is known by an enclosure [l₀, l₁] only goes to the cell of l₁. If l₀
// is not in that cell, l may lie below its lower end x_{i−1}, by less than l₁ − l₀.
// Moving Q-mass of the outcome to loss −∞ raises its loss and gives a pair that
// dominates (merging the two is a post-processing); bringing l up to x_{i−1} takes
// less than q·(1 − e^−(l₁−l₀)) ≤ q·(l₁ − l₀). The enclosure of q is widened downwards by
// that; its upper end, which is what the lower bound uses, stays.
func (l *leaf) addOutcomes(os []pair.Outcome, w interval.Prec) {
	index := make(map[int64]int)
	add := func(c cell) {
		if k, ok := index[c.hi]; ok {
			l.cells[k].p = w.Add(l.cells[k].p, c.p)
			l.cells[k].q = w.Add(l.cells[k].q, c.q)
			return
		}
		index[c.hi] = len(l.cells)
		l.cells = append(l.cells, c)
	}
	for _, o := range os {
		switch {
		case o.Q.IsZero():
			l.inf = w.Add(l.inf, o.P)
		case o.P.IsZero():
			l.below.q = w.Add(l.below.q, o.Q)
		default:
			i, slack := l.cellIndex(w, o)
			if !slack.IsZero() {
				o.Q = interval.Union(o.Q, mass(w, o.Q, w.Mul(o.Q, slack)))
			}
			switch {
			case i <= l.lo:
				l.below.p, l.below.q = w.Add(l.below.p, o.P), w.Add(l.below.q, o.Q)
			case i > l.hi:
				l.above.p, l.above.q = w.Add(l.above.p, o.P), w.Add(l.above.q, o.Q)
			default:
				add(cell{i - 1, i, o.P, o.Q})
			}
		}
	}
}

// cellIndex returns the i in [lo, hi + 1] with x_{i−1} < loss ≤ x_i, but for the first
// and the last, which stand for everything below and above. It is exact if the
// loss is known exactly; otherwise loss ≤ x_i is certain, and loss > x_{i−1} up to the
// slack, which is 0 if it is certain too.
func (l *leaf) cellIndex(w interval.Prec, o pair.Outcome) (i int64, slack interval.Interval) {
	x := o.EncloseLoss(w)
	t := w.Div(x, w.Rat(l.delta))
	n := min(max(interval.Ceil(t.Hi()), l.lo), l.hi+1)
	if o.Exact {
		for n > l.lo && o.Loss.Cmp(l.at(n-1)) <= 0 {
			n--
		}
		return n, slack
	}
	if n > l.lo && interval.Int(n-1).Less(t) != interval.True {
		slack = w.Sub(x.Upper(), x.Lower())
	}
	return n, slack
}

// lattice returns the masses v of the points of the mesh.
func (l *leaf) lattice(v convolve.Vector) *lattice {
	v, skip := v.Trim()
	return &lattice{step: step{rat: l.delta}, first: l.lo + int64(skip), v: v, rounding: convolve.Sums}
}

// inIntervals returns l with its cells in intervals.
func (l *leaf) inIntervals() *leaf {
	out := *l
	out.words = nil
	for _, c := range l.words {
		out.cells = append(out.cells, cell{c.lo, c.hi, interval.Max(interval.Int(0), c.p.Interval()),
			interval.Max(interval.Int(0), c.q.Interval())})
	}
	return &out
}
