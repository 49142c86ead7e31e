// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

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
// What masses add up to, from the first point to any other, is rounded down (see doc.go); everything missing to 1
// counts as infinite loss.
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

// A prefix is what has been cut off from masses so far, in units of 2^−(prec + 64).
type prefix struct{ rest big.Int }

// add returns the next mass, in units of 2^−prec, such that all masses up to it add up to no more than the lower ends
// of what was added, and to one unit less at most, and 2^−64 for each.
func (p *prefix) add(m interval.Interval, prec uint) *big.Int {
	const more = 64
	x := interval.FloorScaled(m, prec+more)
	x.Add(x, &p.rest)
	n := new(big.Int).Rsh(x, more)
	p.rest.Sub(x, new(big.Int).Lsh(n, more))
	return n
}
