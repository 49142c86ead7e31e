// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A mesh is the points iΔ of a grid, lo ≤ i ≤ hi, that a factor is put on.
type mesh struct {
	delta  *big.Rat // Δ
	lo, hi int64
}

func (m mesh) at(i int64) *big.Rat { return new(big.Rat).Mul(m.delta, new(big.Rat).SetInt64(i)) }

// A cell is a range (x_lo, x_hi] of losses, x_i = iΔ, with enclosures of its P- and
// Q-mass. All its losses are finite.
type cell struct {
	lo, hi int64
	p, q   interval.Interval
}

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
	r := &leaf{mesh: mesh{l.delta, -l.hi, -l.lo}, words: reversed(l.words)}
	for _, c := range l.cells {
		r.cells = append(r.cells, cell{-c.hi, -c.lo, c.q, c.p})
	}
	// Outcomes with Q = 0 are in inf and have no mass under the new P.
	r.above = cell{p: l.below.q, q: l.below.p}
	r.below = cell{p: l.above.q, q: l.above.p}
	return r
}

// coarse reports p·h² > 1/n, h in units of the spacing.
func coarse(p interval.Interval, h int64, n int) bool {
	const w = interval.Prec(32)
	return w.Mul(p, interval.Int(h*h)).LessEqRat(big.NewRat(1, int64(n))) != interval.True
}

// mass returns a − b ≥ 0 without its negative part.
func mass(w interval.Prec, a, b interval.Interval) interval.Interval {
	return interval.Max(interval.Int(0), w.Sub(a, b))
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
	n := min(max(ceilInt(t.Hi()), l.lo), l.hi+1)
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

// ceilInt returns ⌈f⌉, or the nearest integer of 63 bits.
func ceilInt(f *big.Float) int64 {
	n, acc := f.Int64() // truncates towards 0, saturates
	if acc == big.Below && n < math.MaxInt64 {
		n++
	}
	return n
}

// upper returns the dominating pair on the grid ("connect the dots", Doroshenko et
// al. 2022): every cell's masses are split onto its two end points so that both are
// preserved,
//
//	a₂ = (a − e^(x_lo)·b)/(1 − e^−h) at x_hi,  a₁ = (e^(x_hi)·b − a)/(e^h − 1) at x_lo
//
// for a cell (x_lo, x_hi] of width h (P-masses; an end point has one likelihood
// ratio, so its Q-mass is implied). The split is linear and acts on every point of
// the cell alike; redrawing the point given the end point is one kernel for P and
// Q, so that the original is a post-processing of the split pair. What lies below
// the grid is moved up to its first point, which only raises losses; of what lies
// above its last point x, e^x·b stays and the rest has infinite loss.
//
// The split needs every loss of the cell in [x_lo, x_hi]; see addOutcomes.
//
// What masses add up to, from the first point to any other, is rounded down (see doc.go); everything missing to 1 counts as
// infinite loss.
func (l *leaf) upper(w interval.Prec, prec uint) *lattice {
	if len(l.words) > 0 {
		if prec <= maxWordPrec {
			return l.upperWords(w, prec)
		}
		l = l.inIntervals()
	}
	masses := make([]interval.Interval, l.hi-l.lo+1)
	add := func(i int64, m interval.Interval) {
		k := i - l.lo
		masses[k] = w.Add(masses[k], m)
	}
	d := w.Rat(l.delta)
	type width struct{ up, down interval.Interval } // e^h − 1 and 1 − e^−h
	widths := make(map[int64]width)
	zero, one := interval.Int(0), interval.Int(1)
	for _, c := range l.cells {
		h, ok := widths[c.hi-c.lo]
		if !ok {
			t := w.Mul(d, interval.Int(c.hi-c.lo))
			h = width{w.Expm1(t), w.Expm1(t.Neg()).Neg()}
			widths[c.hi-c.lo] = h
		}
		b := w.Mul(fixed.Exp(w, l.at(c.hi)), c.q) // e^(x_hi)·b
		add(c.lo, interval.Max(zero, w.Div(w.Sub(b, c.p), h.up)))
		// e^(x_lo)·b = e^(x_hi)·b·(1 − (1 − e^−h))
		add(c.hi, interval.Max(zero, w.Div(w.Sub(c.p, w.Mul(b, w.Sub(one, h.down))), h.down)))
	}
	add(l.lo, l.below.p)
	if !l.above.q.IsZero() {
		x := fixed.Exp(w, l.at(l.hi))
		add(l.hi, interval.Min(w.Mul(x, l.above.q), l.above.p))
	}
	v := convolve.NewVector(len(masses), prec)
	var sums prefix
	for k, m := range masses {
		v.Set(k, sums.add(m, prec))
	}
	return l.lattice(v)
}

// lattice returns the masses v of the points of the mesh.
func (l *leaf) lattice(v convolve.Vector) *lattice {
	v, skip := v.Trim()
	return &lattice{step: step{rat: l.delta}, first: l.lo + int64(skip), v: v, rounding: convolve.Sums}
}

// A prefix is what has been cut off from masses so far, in units of 2^−(prec + 64).
type prefix struct{ rest big.Int }

// add returns the next mass, in units of 2^−prec, such that all masses up to it add up to no more than the lower ends of what
// was added, and to one unit less at most, and 2^−64 for each.
func (p *prefix) add(m interval.Interval, prec uint) *big.Int {
	const more = 64
	x := interval.FloorScaled(m, prec+more)
	x.Add(x, &p.rest)
	n := new(big.Int).Rsh(x, more)
	p.rest.Sub(x, new(big.Int).Lsh(n, more))
	return n
}

// lower returns the pair whose outcomes are the cells, grouped by an index: a
// post-processing of the original. Each cell is split at random between the two
// indices next to log(a/b)/Δ so that its mean index is about that; any split is
// sound, and this one keeps the index of a sum close to its loss. The cell above
// x_hi is not among them: it is a group of its own, see Grid.
func (l *leaf) lower(prec uint, t tilt) *groups {
	g := newGroups(l.delta, l.lo, int(l.hi-l.lo)+1, prec, t)
	if len(l.words) > 0 {
		if prec <= maxWordPrec {
			l.addWords(t, g)
		} else {
			l = l.inIntervals()
		}
	}
	for _, c := range l.cells {
		i, f := l.split(c)
		g.add(i, f, c)
	}
	g.add(l.lo, 0, l.below)
	return g.trim().fit()
}

const (
	splitBits = 30
	splitOne  = 1 << splitBits
)

// split returns the index i and the fraction, in units of 2^−splitBits, with which a
// cell is split between i and i + 1: about the index and the fraction of log(a/b)/Δ, within the cell, for the
// bounds a and b of its masses that the lower bound uses.
func (l *leaf) split(c cell) (i, f int64) {
	const p = interval.Prec(64)
	a, b := c.p.Lower(), c.q.Upper()
	switch {
	case a.Positive() != interval.True:
		return c.lo, 0
	case b.IsZero():
		return c.hi, 0
	}
	t := p.Sub(p.Div(fixed.Log(p, p.Mid(p.Div(a, b))), p.Rat(l.delta)), interval.Int(c.lo))
	n, _ := p.Scale(p.Mid(t), splitBits).Lo().Int64()
	n = min(max(n, 0), (c.hi-c.lo)<<splitBits)
	return c.lo + n>>splitBits, n & (splitOne - 1)
}
