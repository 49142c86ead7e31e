// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// lowest returns the tails at a loss x ≤ −nη, x ≤ −(Prec + 2)·log 2: the events of loss
// L ≤ x have P = E_Q[e^L] ≤ 2^−(Prec+2), next to nothing, but perhaps much of the mass of
// Q. They are left out.
func (l *builder) lowest(tails closed.Tails) point {
	x := new(big.Rat).SetInt64(-int64(l.Prec) - 2)
	if y := times(-l.N, l.Eta); y.Cmp(x) < 0 {
		x = y
	}
	p, q := tails(l.w, closed.RatArg(l.w, x))
	return point{-l.N, p, q}
}

// A point holds the tails P(L > iη) and Q(L > iη).
type point struct {
	i    int
	p, q interval.Interval
}

// fill makes a leaf of the tails at indices from −N to N, and of those at a loss
// below, from which on events count.
func (l *builder) fill(ctx context.Context, tails closed.Tails) (*Tree, error) {
	w, lowest := l.w, l.lowest(tails)
	at := func(i int) point {
		p, q := tails(w, closed.RatArg(w, times(i, l.Eta)))
		return point{i, p, q}
	}
	n := (2*l.N + segment - 1) / segment
	cursors := make([]*cursor, n)
	tops := make([]int, n) // the least index above which there is no P-mass
	err := convolve.Parallel(ctx, n, func(k int) {
		c := l.cursor()
		cursors[k], tops[k] = c, l.N+1
		lo := -l.N + k*segment
		hi := min(lo+segment, l.N)
		first, last := at(lo), at(hi)
		if k == 0 {
			c.add(Event{Index: -l.N, P: w.Sub(lowest.p, first.p), Q: w.Sub(lowest.q, first.q)})
		}
		var walk func(a, b point)
		walk = func(a, b point) {
			if b.p.IsZero() {
				tops[k] = min(tops[k], b.i)
			}
			e := Event{Index: b.i, P: w.Sub(a.p, b.p), Q: w.Sub(a.q, b.q)}
			if e.Low = b.i-a.i > 1; e.Low && (l.tangible(e.P) || l.tangible(e.Q)) {
				m := at(a.i + (b.i-a.i)/2)
				walk(a, m)
				walk(m, b)
				return
			}
			c.add(e)
		}
		walk(first, last)
		if hi == l.N {
			c.add(Event{Index: l.N + 1, P: last.p, Q: last.q})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, c := range cursors {
		l.join(c)
	}
	t := l.tree()
	top := l.N + 1
	for _, k := range tops {
		top = min(top, k)
	}
	if top <= l.N {
		t.closed(top)
	}
	return t, nil
}

// segment is the number of buckets that one goroutine handles at a time.
const segment = 256

// tangible reports that a mass may exceed 2^−Prec.
func (l *builder) tangible(x interval.Interval) bool {
	return x.LessEq(l.w.Scale(interval.Int(1), -int(l.Prec))) != interval.True
}
