// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package bucket bounds privacy profiles by privacy buckets, literally and
// rigorously [Meiser & Mohammadi, Tight on Budget? Tight Bounds for r-Fold
// Approximate Differential Privacy, 2018; "the paper" here].
//
// A composition tree (Definition 3) is built from three kinds of nodes: leaves,
// composition and squaring. Every node sorts the events x of a pair (A, B) into buckets
// i = −n … n and ∞ by their likelihood ratio P_A(x)/P_B(x), the bucket i of a leaf
// holding f^(i−1) < P_A/P_B ≤ f^i for the bucket factor f = e^η, η rational. A Tree
// is a node evaluated: nothing of its children is kept.
//
// # Three vectors
//
// The paper carries B(i), the P_A-mass of a bucket, and two error-correction (EC)
// terms, real ℓ(i) and virtual ℓ̃(i). This package carries, per bucket,
//
//	B(i)                      the P_A-mass,                       rounded down;
//	R(i) = B(i)/f^i + ℓ(i)    the part of the P_B-mass that may   rounded down;
//	                          be counted on in an upper bound,
//	V(i) = B(i)/f^i + ℓ̃(i)    the P_B-mass,                       rounded up.
//
// Definition 7 says that ℓ composes by V(j, k, ℓ₁, ℓ₂) = (B₁(j)/f^j)ℓ₂(k) + (B₂(k)/f^k)ℓ₁(j)
// + ℓ₁(j)ℓ₂(k), which is (B₁(j)/f^j + ℓ₁(j))(B₂(k)/f^k + ℓ₂(k)) − B₁(j)B₂(k)/f^(j+k): R and V
// convolve like masses, one convolution each. That R is not V, where it differs is
// at bucket −n: ℓ(−n) = 0 after every node, so R(−n) = B(−n)·f^n, while the virtual
// term stays exact (with the correction of Definition 7 that compose states).
// Taking V for R makes the upper bound unsound.
//
// # What holds at every node
//
// Let ι(x) be the index of an event (Definition 6), L = log P_A/P_B its loss. There
// are functions R*(x) ≥ 0 and D(x), the misplacement, with
//
//	(B) B(i) ≤ Σ_{ι(x)=i} P_A(x), and the same for the mass kept of bucket ∞;
//	(R) R(i) ≤ Σ_{ι(x)=i} R*(x), R*(x) ≤ P_B(x) and R*(x) ≤ P_A(x)·e^(D(x)−ι(x)η);
//	(V) V(i) ≥ Σ_{ι(x)=i} P_B(x), and the same for bucket ∞;
//	(L) L(x) ≤ ι(x)η − D(x) if ι(x) ≠ ∞, and 0 ≤ D(x) ≤ uη.
//
// (L) contains Lemma 6, (R) Lemmas 10 and 12, (V) the corrected Lemma 11. Leaf,
// compose and Square each show that they keep them; delta.go derives the bounds
// from them (Lemma 13, Theorem 2). Events may be left out of a leaf: they are in
// no vector, so that an upper bound counts them as bucket ∞, whose mass is
// 1 − ΣB(i), and a lower bound drops them as a whole. (V) and the mass kept of bucket ∞
// are about the events that are not left out.
//
// # Memory
//
// A Tree of 2n+1 buckets of P bits takes 24·(2n+1)·⌈P/64⌉ bytes, or one word more for each mass
// where one is 1; compose adds the result and the transforms of one convolution (package convolve).
// At 10^6 buckets and P = 128 these are 48 MB and 48 + 63 MB. Powers and products under Policy.Spend need no more than
// one tree and the transforms, and half a tree more or less for the single copy of a power that is not one of 2: it is
// squared with the power.
package bucket

import (
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// A Tree is a composition tree, evaluated. It is immutable and may be used by
// several goroutines.
type Tree struct {
	n   int      // last bucket index before ∞, even
	eta *big.Rat // bucket factor f = e^eta
	u   *big.Rat // bounds misplacement, in buckets: D ≤ u·eta

	b, r, v *masses

	// Bucket ∞ in two parts: the events with a factor in bucket ∞ of its leaf, and
	// those that went beyond n by composition.
	far, over infinity

	// Unless open, all P_A-mass, also of events left out, has ι ≤ top, in the sense
	// of (L): L ≤ top·η − D.
	top  int
	open bool

	// blind says that rounding up has swamped v, which then holds nothing: there
	// is no lower bound any more.
	blind bool

	drift drift
}

// N returns the index n of the last bucket before ∞.
func (t *Tree) N() int { return t.n }

// Eta returns the logarithm of the bucket factor.
func (t *Tree) Eta() *big.Rat { return new(big.Rat).Set(t.eta) }

// Prec returns the number of fraction bits of masses.
func (t *Tree) Prec() uint { return t.b.v.Prec() }

// U returns the bound u of Definition 7 on how many buckets too high the real EC
// terms allow an event to be: 1 at leaves, u₁ + u₂ at compositions, (u₁ + 1)/2 at
// squarings.
//
// The paper prints ⌈u₁/2⌉ + 1 for squarings; see Square.
func (t *Tree) U() *big.Rat { return new(big.Rat).Set(t.u) }

// Infinite returns an enclosure of the P_A-mass of bucket ∞. Its upper end is what
// the other buckets lack to 1.
func (t *Tree) Infinite(p interval.Prec) interval.Interval {
	missing := new(big.Int).Lsh(big.NewInt(1), t.Prec())
	missing.Sub(missing, t.b.v.Sum())
	x := interval.Bounds(p.BigInt(t.known()).Lo(), p.BigInt(missing).Hi())
	return p.Scale(x, -int(t.Prec()))
}

// known returns the known part of B(∞), in units of 2^−prec.
func (t *Tree) known() *big.Int { return new(big.Int).Add(t.far.a, t.over.a) }

// infinity is a part of bucket ∞, in units of 2^−prec: a lower bound of its P_A-mass
// and an upper bound of its P_B-mass.
type infinity struct{ a, b *big.Int }

// one returns 1 in units of 2^−prec.
func one(prec uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), prec) }

// power returns e^x for a rational x: f^i is power(w, i·eta).
func power(w interval.Prec, x *big.Rat) interval.Interval { return w.Exp(w.Rat(x)) }

// times returns i·x.
func times(i int, x *big.Rat) *big.Rat {
	return new(big.Rat).Mul(x, new(big.Rat).SetInt64(int64(i)))
}

// ceilQuo returns ⌈x/y⌉ for y > 0, brought into [lo, hi].
func ceilQuo(x, y *big.Rat, lo, hi int) int {
	q := new(big.Rat).Quo(x, y)
	// Euclidean division by a positive number is the floor.
	z := new(big.Int).Div(new(big.Int).Neg(q.Num()), q.Denom())
	z.Neg(z)
	switch {
	case z.Cmp(big.NewInt(int64(lo))) < 0:
		return lo
	case z.Cmp(big.NewInt(int64(hi))) > 0:
		return hi
	}
	return int(z.Int64())
}

// masses are numbers m_i·2^−P of the buckets first … last; other finite buckets
// hold 0.
type masses struct {
	first int
	v     convolve.Vector
	whole convolve.Vector // v is a part of it
}

// newMasses returns zeros.
func newMasses(first, n int, prec uint) *masses { return massesOf(first, convolve.NewVector(n, prec)) }

func massesOf(first int, v convolve.Vector) *masses { return &masses{first, v, v} }

func (m *masses) last() int { return m.first + m.v.Len() - 1 }

// mirrored returns the first and the last index of i ↦ m_(si), s = ±1.
func (m *masses) mirrored(s int) (first, last int) {
	if s < 0 {
		return -m.last(), -m.first
	}
	return m.first, m.last()
}

// at returns m_i, 0 outside the range.
func (m *masses) at(i int) *big.Int {
	if i < m.first || i > m.last() {
		return new(big.Int)
	}
	return m.v.At(i - m.first)
}

// load sets z to m_i, 0 outside the range, and returns z.
func (m *masses) load(z *big.Int, i int) *big.Int {
	if i < m.first || i > m.last() {
		return z.SetInt64(0)
	}
	return m.v.Load(z, i-m.first)
}

// sum returns Σ m_i over from ≤ i < to.
func (m *masses) sum(from, to int) *big.Int {
	from, to = max(from, m.first), min(to, m.last()+1)
	if from >= to {
		return new(big.Int)
	}
	return m.v.Slice(from-m.first, to-m.first).Sum()
}

// trim drops empty buckets at both ends.
func (m *masses) trim() *masses {
	v, skip := m.v.Trim()
	return &masses{m.first + skip, v, m.whole}
}

// extend adds empty buckets down to first.
func (m *masses) extend(first int) {
	skip := m.first - first
	n := m.v.Len() + skip
	if m.whole.Len() < n || m.whole.Words() != m.v.Words() {
		m.whole = convolve.NewVector(n, m.v.Prec())
		move(m.whole.Slice(skip, n), m.v)
	} else {
		m.v.Copy(m.whole.Slice(skip, n))
		m.whole.Slice(0, skip).Clear()
	}
	m.first, m.v = first, m.whole.Slice(0, n)
}

// move copies a vector to another one, whatever room their entries have.
func move(to, from convolve.Vector) {
	x := new(big.Int)
	for i := range from.Len() {
		to.Set(i, from.Load(x, i))
	}
}

// set sets entry k of the vector.
func (m *masses) set(k int, x *big.Int) {
	if !m.v.Fits(x) {
		wide := convolve.NewVector(m.v.Len(), m.v.Prec())
		move(wide, m.v)
		m.v, m.whole = wide, wide
	}
	m.v.Set(k, x)
}

// none holds nothing.
func none(prec uint) *masses { return newMasses(0, 1, prec) }

// discounted encloses Σ_{from≤i<to} m_i·e^(−s(i−i₀)η), s = ±1, with i₀ = from for s = 1 and i₀ =
// to − 1 for s = −1, so that exponents are at most 0; in units of 2^−P.
//
// Horner's rule in fixed point, y ← m_i + ⌊y·g⌋ with units of 2^−32 and a lower bound g of e^−η,
// rounds down. Let e^−η < g + d·2^−B, B = P + 64. As y < 2^B (there are fewer than 2^31 masses, of at
// most 1) and e^−η < 1, an error grows by less than 1 + d units in a step.
func (m *masses) discounted(eta *big.Rat, from, to, s int) interval.Interval {
	const guard = 32
	from, to = max(from, m.first), min(to, m.last()+1)
	bits := m.v.Prec() + 64
	f := power(interval.Prec(bits), new(big.Rat).Neg(eta))
	g := interval.FloorScaled(f, bits)
	d := new(big.Int).Sub(interval.CeilScaled(f, bits), g)
	y, t, x := new(big.Int), new(big.Int), new(big.Int)
	for k := range to - from {
		i := to - 1 - k
		if s < 0 {
			i = from + k
		}
		t.Mul(y, g)
		y.Rsh(t, bits)
		y.Add(y, t.Lsh(m.load(x, i), guard))
	}
	w := interval.Prec(y.BitLen() + 34)
	err := big.NewInt(int64(max(to-from, 0)))
	err.Mul(err, d.Add(d, big.NewInt(1)))
	return w.Scale(interval.Bounds(w.BigInt(y).Lo(), w.BigInt(err.Add(err, y)).Hi()), -guard)
}

// workingPrec is the precision for a leaf with masses of prec bits.
func workingPrec(prec uint) interval.Prec { return interval.Prec(prec) + 32 }
