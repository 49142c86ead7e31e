// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

	"dpverify/exact/convolve"
)

// Square returns the node that squares the bucket factor (Definitions 4 and 7):
// buckets 2i−1 and 2i become bucket i of factor f²,
//
//	B(i) = B₁(2i−1) + B₁(2i), −n/2 < i ≤ n/2,   B(−n/2) = B₁(−n),   B(∞) = B₁(∞),
//
// R and V likewise, u = (u₁ + 1)/2. Definition 4 as printed lacks the case i = −n/2
// and loses the mass of bucket −n.
//
// The EC terms follow Definition 7: with W(i, x) = x(2i−1) + B₁(2i−1)(f^−(2i−1) − f^−2i) +
// x(2i), the sum W(i, ℓ₁) + B(i)/f^2i is R₁(2i−1) + R₁(2i); and ℓ(−n/2) = 0 is R(−n/2) =
// B₁(−n)·f^n = R₁(−n).
//
// The invariants of the package hold, with D(x) = D₁(x) + η if ι₁(x) is odd, D₁(x)
// otherwise (η is the child's): the new index is ⌈ι₁/2⌉, so that ι₁η − D₁(x) = ι·2η −
// D(x), and neither (L) nor (R) changes. D(x) ≤ u₁η + η = u·2η.
//
// The paper prints ⌈u₁/2⌉ + 1; Lemma 12 needs 2u ≥ u₁ + 1 only, and no integer:
// where Definition 9 counts on EC terms for i ≥ j_ε + u, it needs e^ε ≤ f^(i−u).
//
// Rounding: none. Requires: n even, which every leaf is.
func Square(t1 *Tree) *Tree {
	t := &Tree{
		n: t1.n, eta: new(big.Rat).Add(t1.eta, t1.eta),
		u:    new(big.Rat).Mul(new(big.Rat).Add(t1.u, big.NewRat(1, 1)), big.NewRat(1, 2)),
		far:  t1.far,
		over: t1.over,
		top:  ceilHalf(t1.top), open: t1.open, blind: t1.blind,
	}
	var oddB, oddR *big.Int
	t.b, oddB = t1.b.halve()
	t.r, oddR = t1.r.halve()
	t.v, _ = t1.v.halve()
	t.drift = t1.drift.squared(t1, oddB, oddR)
	return t
}

// ceilHalf returns ⌈i/2⌉.
func ceilHalf(i int) int { return (i + 1) >> 1 }

// halve adds entries 2i−1 and 2i, and returns the sum of the odd ones too. Sums fit
// because the sums of whole vectors do.
func (m *masses) halve() (*masses, *big.Int) {
	first, last := ceilHalf(m.first), ceilHalf(m.last())
	out := &masses{first, convolve.NewVector(last-first+1, m.v.Prec())}
	odd, x, y := new(big.Int), new(big.Int), new(big.Int)
	for i := first; i <= last; i++ {
		m.load(x, 2*i-1)
		odd.Add(odd, x)
		out.v.Set(i-first, x.Add(x, m.load(y, 2*i)))
	}
	return out, odd
}
