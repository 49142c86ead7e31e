// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// maxOutcomes bounds the outcomes of a discrete pair in a leaf.
const maxOutcomes = 1 << 16

// PairLeaf returns the leaf of a pair whose loss has closed-form tails or finitely
// many outcomes, and reports false for other pairs.
func PairLeaf(ctx context.Context, x pair.Pair, s Shape) (t *Tree, ok bool, err error) {
	s.check()
	switch x := x.(type) {
	case pair.Laplace:
		if t, ok := LaplaceLeaf(x.Shift, nil, s); ok {
			return t, true, nil
		}
	case pair.TruncatedLaplace:
		edge := new(big.Rat).Quo(x.Sensitivity, x.Scale)
		if t, ok := LaplaceLeaf(edge, new(big.Rat).Quo(x.Radius, x.Scale), s); ok {
			return t, true, nil
		}
	case pair.Gaussian:
		if t, ok, err := GaussianLeaf(ctx, x, s); ok || err != nil {
			return t, ok, err
		}
	case pair.TruncatedGaussian:
		if t, ok, err := TruncatedGaussianLeaf(ctx, x, s); ok || err != nil {
			return t, ok, err
		}
	case pair.Sampled:
		if t, ok, err := SampledGaussianLeaf(ctx, x, s); ok || err != nil {
			return t, ok, err
		}
	}
	if tails, ok := closed.PairTails(x); ok {
		t, err := TailsLeaf(ctx, tails, s)
		return t, err == nil, err
	}
	os, rest, ok := x.Outcomes(workingPrec(s.Prec), maxOutcomes)
	if !ok {
		return nil, false, nil
	}
	return OutcomesLeaf(os, rest.IsZero(), s), true, nil
}

// segment is the number of buckets that one goroutine handles at a time.
const segment = 256

// TailsLeaf returns the leaf of a pair given by the upper tails of its loss:
//
//	B(i) = P(L > (i−1)η) − P(L > iη), V(i) and R(i) = the same of Q,
//
// with everything at or below −nη in bucket −n and everything above nη in bucket ∞.
// Where a run of buckets holds no mass to speak of, it is one event in its
// highest bucket.
//
// The cost is two values of the tails per bucket. The error is ctx's.
func TailsLeaf(ctx context.Context, tails closed.Tails, s Shape) (*Tree, error) {
	l := newBuilder(s)
	at := func(i int) point {
		p, q := tails(l.w, closed.RatArg(l.w, times(i, s.Eta)))
		return point{i, p, q}
	}
	return l.fill(ctx, l.lowest(tails), at)
}

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

// fill makes a leaf of the tails at any index from −N to N, and of those at a loss
// below, from which on events count.
func (l *builder) fill(ctx context.Context, lowest point, at func(i int) point) (*Tree, error) {
	w := l.w
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

// tangible reports that a mass may exceed 2^−Prec.
func (l *builder) tangible(x interval.Interval) bool {
	return x.LessEq(l.w.Scale(interval.Int(1), -int(l.Prec))) != interval.True
}

// OutcomesLeaf returns the leaf of a discrete pair. complete says that no outcome
// with P-mass is missing in the list; a missing outcome is no loss of soundness.
//
// An outcome of exactly known loss goes to its bucket, decided exactly. One whose
// loss is only enclosed goes to the bucket of the upper end.
func OutcomesLeaf(os []pair.Outcome, complete bool, s Shape) *Tree {
	l := newBuilder(s)
	c := l.cursor()
	top := -s.N
	for _, o := range os {
		e := Event{Index: s.N + 1, P: o.P, Q: o.Q}
		switch {
		case o.P.IsZero():
			e.Index = -s.N
		case !o.Q.IsZero():
			l.place(&e, o)
			top = max(top, e.Index)
		default:
			top = s.N + 1
		}
		c.add(e)
	}
	l.join(c)
	t := l.tree()
	if complete && top <= s.N {
		t.closed(top)
	}
	return t
}

// place finds the bucket of an outcome of finite loss.
func (l *builder) place(e *Event, o pair.Outcome) {
	w := l.w
	x := w.Log(w.Div(o.P, o.Q))
	if o.Exact {
		x = o.Loss.Enclose(w)
	}
	t := w.Div(x, w.Rat(l.Eta))
	i := ceilFloat(t.Hi(), -l.N, l.N+1)
	if !o.Exact {
		e.Index, e.Low = i, interval.Int(int64(i-1)).Less(t) != interval.True
		return
	}
	for i > -l.N && o.Loss.Cmp(times(i-1, l.Eta)) <= 0 {
		i--
	}
	e.Index, e.Border = i, i <= l.N && o.Loss.Cmp(times(i, l.Eta)) == 0
}

// ceilFloat returns ⌈f⌉, brought into [lo, hi].
func ceilFloat(f *big.Float, lo, hi int) int {
	z, acc := f.Int64() // truncates towards 0, saturates
	if acc == big.Below && z < math.MaxInt64 {
		z++
	}
	return int(min(max(z, int64(lo)), int64(hi)))
}
