// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"dpverify/exact/interval"
)

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
	t := p.Sub(p.Div(p.Log(p.Mid(p.Div(a, b))), p.Rat(l.delta)), interval.Int(c.lo))
	n, _ := p.Scale(p.Mid(t), splitBits).Lo().Int64()
	n = min(max(n, 0), (c.hi-c.lo)<<splitBits)
	return c.lo + n>>splitBits, n & (splitOne - 1)
}
