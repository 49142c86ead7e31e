// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
)

// LaplaceLeaf returns the leaf of Laplace noise of scale 1 against the same shifted
// by x = shift, both truncated to ±radius around their centres if radius is not nil,
// with exact borders (§5.1): it needs η = x/gr for an integer gr ≤ n, so that the
// atoms of the loss at ±x lie on borders, and reports false for other shapes.
//
// The loss is |y − x| − |y| at y. Under P, the noise around 0, it has
//
//	an atom of 1/2 − t/2 at x and of (e^−x − r)/2 at −x, t = e^(x−radius), r = e^−radius,
//	the density e^((l−x)/2)/4 on (−x, x),
//	(t − r)/2 of loss ∞ (y < x − radius),
//
// all divided by 1 − r; Q mirrors P; t = r = 0 without truncation. Hence for −gr < i ≤ gr,
// with s_m = e^(−mη/2)·(1 − e^(−η/2))/2 over 1 − r,
//
//	B(i) = s_(gr−i) + [i = gr]·(atom at x),  V(i) = s_(i+gr−1) + [i = gr]·(Q-atom at x).
//
// The paper's §5.1 has the bucket i as f^i < P/Q ≤ f^(i+1) in its text, which would be
// unsound; it computes with the borders of Definition 4, as here.
//
// Requires: x > 0; radius ≥ x, or nil.
func LaplaceLeaf(shift, radius *big.Rat, s Shape) (*Tree, bool) {
	q := new(big.Rat).Quo(shift, s.Eta)
	if !q.IsInt() || !q.Num().IsInt64() || q.Num().Int64() > int64(s.N) || radius != nil && radius.Cmp(shift) < 0 {
		return nil, false
	}
	gr := int(q.Num().Int64())
	l := newBuilder(s)
	w := l.w
	half := func(x interval.Interval) interval.Interval { return w.Scale(x, -1) }
	exp := func(x *big.Rat) interval.Interval { return power(w, x) }
	one := interval.Int(1)
	t, r := interval.Int(0), interval.Int(0)
	if radius != nil {
		t, r = exp(new(big.Rat).Sub(shift, radius)), exp(new(big.Rat).Neg(radius))
	}
	norm := w.Sub(one, r)
	likely := w.Div(half(w.Sub(one, t)), norm)
	unlikely := w.Div(half(w.Sub(exp(new(big.Rat).Neg(shift)), r)), norm)
	inf := w.Div(half(w.Sub(t, r)), norm)
	step := new(big.Rat).Mul(s.Eta, big.NewRat(-1, 2))
	first := w.Div(half(w.Expm1(w.Rat(step)).Neg()), norm)
	mass := func(m int) interval.Interval { return w.Mul(first, fixed.Exp(w, times(m, step))) }
	c := l.cursor()
	c.add(Event{Index: s.N + 1, P: inf}) // and as much Q-mass with P = 0
	c.add(Event{Index: -gr, P: unlikely, Q: likely, Border: true})
	for i := 1 - gr; i <= gr; i++ {
		c.add(Event{Index: i, P: mass(gr - i), Q: mass(i + gr - 1)})
	}
	c.add(Event{Index: gr, P: likely, Q: unlikely, Border: true})
	l.join(c)
	tree := l.tree()
	if radius == nil {
		tree.closed(gr)
	}
	return tree, true
}
