// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"math/big"

	"dpverify/exact/closed"
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
	case pair.Truncated:
		if x.Noise == pair.GaussianNoise {
			break
		}
		edge := new(big.Rat).Quo(x.Sensitivity, x.Width)
		if t, ok := LaplaceLeaf(edge, new(big.Rat).Quo(x.Radius, x.Width), s); ok {
			return t, true, nil
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
	return newBuilder(s).fill(ctx, tails)
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
	i := int(min(max(interval.Ceil(t.Hi()), -int64(l.N)), int64(l.N)+1))
	if !o.Exact {
		e.Index, e.Low = i, interval.Int(int64(i-1)).Less(t) != interval.True
		return
	}
	for i > -l.N && o.Loss.Cmp(times(i-1, l.Eta)) <= 0 {
		i--
	}
	e.Index, e.Border = i, i <= l.N && o.Loss.Cmp(times(i, l.Eta)) == 0
}
