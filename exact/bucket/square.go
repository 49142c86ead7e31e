// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
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
func Square(t1 *Tree) *Tree { return t1.squared(false) }

// squared is Square. If spent is set, the vectors of t1 become the result's.
func (t1 *Tree) squared(spent bool) *Tree {
	t := &Tree{
		n: t1.n, eta: new(big.Rat).Add(t1.eta, t1.eta),
		u:    new(big.Rat).Mul(new(big.Rat).Add(t1.u, big.NewRat(1, 1)), big.NewRat(1, 2)),
		far:  t1.far,
		over: t1.over,
		top:  ceilHalf(t1.top), open: t1.open, blind: t1.blind,
	}
	t.drift = t1.drift.squared(t1, t1.b.odd(), t1.r.odd())
	t.b, t.r, t.v = t1.b.halve(spent), t1.r.halve(spent), t1.v.halve(spent)
	return t
}

// ceilHalf returns ⌈i/2⌉.
func ceilHalf(i int) int { return (i + 1) >> 1 }

// odd returns Σ m_(2i−1).
func (m *masses) odd() *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for i := m.first | 1; i <= m.last(); i += 2 {
		sum.Add(sum, m.load(x, i))
	}
	return sum
}

// halve adds entries 2i−1 and 2i. Sums fit because the sums of whole vectors do, unless they are narrow. If spent is
// set, they are stored in the memory of m: entry k of the result comes from the entries 2k − 1 and 2k, or 2k and 2k +
// 1, of m.v, and is written to entry k of m.whole, no later than where those are.
func (m *masses) halve(spent bool) *masses {
	first, last := ceilHalf(m.first), ceilHalf(m.last())
	n := last - first + 1
	out := &masses{first: first, whole: m.whole}
	most := new(big.Int).Lsh(m.v.Max(), 1)
	if !spent || m.whole.Len() < n || !m.whole.Fits(most) {
		out.whole = convolve.NewNarrow(n, m.v.Prec())
		if !out.whole.Fits(most) {
			out.whole = convolve.NewVector(n, m.v.Prec())
		}
	}
	out.v = out.whole.Slice(0, n)
	x, y := new(big.Int), new(big.Int)
	for i := first; i <= last; i++ {
		m.load(x, 2*i-1)
		out.v.Set(i-first, x.Add(x, m.load(y, 2*i)))
	}
	return out
}

// squared returns the drift of Square(t), given the sums of B and R over odd indices.
//
// From below, B and R (where R* ≤ P_B) count the masses of odd indices; from above,
// what is left of 1 without the masses of even ones and, for A, the known part of bucket ∞.
func (d drift) squared(t *Tree, oddB, oddR *big.Int) drift {
	const w = driftPrec
	prec := t.Prec()
	between := func(odd, sum *big.Int) interval.Interval {
		most := one(prec)
		most.Add(most.Sub(most, sum), odd)
		x := interval.Bounds(w.BigInt(odd).Lo(), w.BigInt(most).Hi())
		return w.Scale(x, -int(prec))
	}
	sum := t.b.v.Sum()
	a, b := between(oddB, sum.Add(sum, t.known())), between(oddR, t.r.v.Sum())
	eta := w.Rat(t.eta)
	s := w.Add(w.Sqrt(d.s2), w.Scale(eta, -1))
	return drift{w.Add(d.meanA, w.Mul(eta, a)), w.Add(d.meanB, w.Mul(eta, b)), w.Sqr(s).Upper()}
}
