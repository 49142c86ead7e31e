// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// compose returns the node T₁ × T₂ (Definitions 4 and 7): the pair (A₁ × A₂, B₁ × B₂)
// of independent parts. With N = {−n, …, n},
//
//	B(i) = Σ_{j+k=i} B₁(j)·B₂(k), −n < i ≤ n,
//	B(−n) = Σ_{j+k≤−n} B₁(j)·B₂(k),   B(∞) = everything else;
//	V likewise;   R likewise but R(−n) = B(−n)·f^n;   u = u₁ + u₂.
//
// The real EC terms follow Definition 7: R(i) − B(i)/f^i = Σ V(j, k, ℓ₁, ℓ₂) for
// i > −n, and ℓ(−n) = 0. So are the virtual ones for i > −n. At −n Definition 7
// prints Σ_{j+k≤−n} V(j, k, ℓ̃₁, ℓ̃₂), which is what P_B(x) exceeds P_A(x)/f^(j+k) by, not
// P_A(x)/f^−n: Lemma 11 fails there, and δ_low with it. V(−n) as the sum of all
// V₁(j)V₂(k) stands for the corrected term
//
//	ℓ̃(−n) = Σ_{j+k≤−n} [V(j, k, ℓ̃₁, ℓ̃₂) + B₁(j)·B₂(k)·(f^−(j+k) − f^n)].
//
// The invariants of the package hold, with D(x₁, x₂) = D₁(x₁) + D₂(x₂) ≤ (u₁ + u₂)η:
//
// (B), (V): sums of products of non-negative bounds, rounded in their direction.
// Bucket ∞ has two parts, of masses x and y: a factor in bucket ∞ of a leaf, x = x₁ + x₂ −
// x₁x₂, and otherwise j + k > n, or y₁ or y₂ already, y = y₁(z₂ + y₂) + z₁y₂ + Σ_{j+k>n}, z the
// masses of finite buckets. Both rise in all their arguments, x as x₁, x₂ ≤ 1.
//
// (L): for ι(x) ≠ ∞ the index is at least ι₁ + ι₂ (more where it was clipped to −n), so
// L = L₁ + L₂ ≤ (ι₁ + ι₂)η − D ≤ ιη − D.
//
// (R): for ι > −n take R* = R₁*·R₂*, at most P_B and P_A·e^(D₁−ι₁η)·e^(D₂−ι₂η) = P_A·e^(D−ιη). For
// ι = −n take R* = P_A·f^n ≤ P_B by (L), and ≤ P_A·e^(D−ιη). The sum of the latter is the
// true B(−n)·f^n, which the computed B(−n) and a lower bound of f^n do not exceed.
//
// Requires: equal n, bucket factors and precisions; over is Σ_{j+k>n} B₁(j)B₂(k). The error is ctx's, or
// convolve.ErrSelfCheck. If spent is set, the vectors of t1 become the result's.
func compose(ctx context.Context, t1, t2 *Tree, over *big.Int, spent bool) (*Tree, error) {
	if t1.n != t2.n || t1.eta.Cmp(t2.eta) != 0 || t1.Prec() != t2.Prec() {
		panic(fmt.Sprintf("bucket: internal error: composition of %v and %v", t1, t2))
	}
	n, prec := t1.n, t1.Prec()
	t := &Tree{n: n, eta: t1.eta, u: new(big.Rat).Add(t1.u, t2.u)}
	t.top, t.open = t1.top+t2.top, t1.open || t2.open
	if t.top > n {
		t.top, t.open = n, true
	}
	t.top = max(t.top, -n)
	t.drift = t1.drift.plus(t2.drift)
	t.far.a = union(t1.far.a, t2.far.a, prec, convolve.Down)
	t.over.a = beyond(t1.over.a, t2.over.a, t1.b.v.Sum(), t2.b.v.Sum(), over, prec, convolve.Down)
	var err error
	if t.b, err = product(ctx, t1.b, t2.b, n, convolve.Down, spent); err != nil {
		return nil, err
	}
	if t.r, err = product(ctx, t1.r, t2.r, n, convolve.Down, spent); err != nil {
		return nil, err
	}
	t.resetReal()
	if t.blind = t1.blind || t2.blind; t.blind {
		t.forgetVirtual()
		return t, nil
	}
	t.far.b = union(t1.far.b, t2.far.b, prec, convolve.Up)
	t.over.b = beyond(t1.over.b, t2.over.b, t1.v.v.Sum(), t2.v.v.Sum(), overflow(t1.v, t2.v, n), prec, convolve.Up)
	if t.v, err = product(ctx, t1.v, t2.v, n, convolve.Up, spent); err != nil {
		return nil, err
	}
	t.checkVirtual()
	return t, nil
}

// product returns the clipped convolution of a and b, each entry rounded. If spent is set, it
// takes the memory of a where that is large enough.
//
// The window −n … n comes from an exact convolution; its entry −n is then replaced by
// the whole lower tail.
func product(ctx context.Context, a, b *masses, n int, r convolve.Rounding, spent bool) (*masses, error) {
	prec := a.v.Prec()
	low, high := a.first+b.first, a.last()+b.last()
	from, to := max(low, -n), min(high, n)
	var tail *big.Int
	if low < -n {
		tail = convolve.Round(underflow(a, b, n), prec, r)
	}
	var out *masses
	switch {
	case low > n: // all of it is in bucket ∞
		return none(prec), nil
	case high < -n: // all of it is in bucket −n
		out = newMasses(-n, 1, prec)
	default:
		room := a.whole
		if !spent {
			room = room.Slice(0, 0)
		}
		if room.Len() <= to-from && to-from >= n {
			room = a.v.Like(2*n + 1) // for this product and whatever comes after it
		}
		v, err := convolve.WindowIn(ctx, room, a.v, b.v, from-low, to-from+1, r)
		if err != nil {
			return nil, err
		}
		if out = massesOf(from, v); room.Len() >= v.Len() {
			out.whole = room
		}
	}
	if tail != nil {
		out.set(0, tail)
	}
	return out.trim(), nil
}

// overflow returns Σ_{j+k>n} a_j·b_k, in units of 2^−2P.
func overflow(a, b *masses, n int) *big.Int {
	if a == b {
		return squareCorner(a, 1, n)
	}
	return corner(a, b, 1, n)
}

// underflow returns Σ_{j+k≤−n} a_j·b_k, in units of 2^−2P.
func underflow(a, b *masses, n int) *big.Int {
	if a == b {
		return squareCorner(a, -1, n-1)
	}
	return corner(a, b, -1, n-1)
}

// corner returns Σ_{j+k>limit} a_(sj)·b_(sk) for a sign s, in O(n): as j grows, so does the
// range of k.
func corner(a, b *masses, s, limit int) *big.Int {
	total, run, t, x := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	aFirst, aLast := a.mirrored(s)
	bFirst, bLast := b.mirrored(s)
	k := bLast
	for j := max(aFirst, limit+1-bLast); j <= aLast; j++ {
		for ; k >= bFirst && j+k > limit; k-- {
			run.Add(run, b.load(x, s*k))
		}
		if a.load(x, s*j).Sign() > 0 {
			total.Add(total, t.Mul(x, run))
		}
	}
	return total
}

// squareCorner returns corner(a, a, s, limit) in half of the time: Σ_j a_j(a_j + 2·Σ_k a_k)
// over 2j > limit and limit − j < k < j, one k more at each end for every step of j. The
// least j leaves one k, j − 1, if limit is even, and none if it is odd.
func squareCorner(a *masses, s, limit int) *big.Int {
	total, run, t, x := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	_, last := a.mirrored(s)
	j := limit>>1 + 1
	if limit&1 == 0 {
		run = a.at(s * (j - 1))
	}
	for ; j <= last; j++ {
		a.load(x, s*j)
		t.Lsh(run, 1)
		t.Add(t, x)
		run.Add(run, x)
		total.Add(total, x.Mul(t, x))
		run.Add(run, a.load(x, s*(limit-j)))
	}
	return total
}

// union returns 1 − (1 − x)(1 − y) = x + y − xy, rounded, in units of 2^−prec.
//
// Requires: 0 ≤ x, y ≤ 1, where it rises in both.
func union(x, y *big.Int, prec uint, r convolve.Rounding) *big.Int {
	z := new(big.Int).Add(x, y)
	z.Lsh(z, prec)
	return convolve.Round(z.Sub(z, new(big.Int).Mul(x, y)), prec, r)
}

// beyond returns y₁(z₂ + y₂) + z₁y₂ + tail, rounded and at most 1, in units of 2^−prec; tail
// is in units of 2^−2prec.
func beyond(y1, y2, z1, z2, tail *big.Int, prec uint, r convolve.Rounding) *big.Int {
	s := new(big.Int).Add(z2, y2)
	s.Mul(s, y1)
	s.Add(s, new(big.Int).Mul(z1, y2))
	return capped(convolve.Round(s.Add(s, tail), prec, r), prec)
}

// capped returns min(x, 1).
func capped(x *big.Int, prec uint) *big.Int {
	if most := one(prec); x.Cmp(most) > 0 {
		return most
	}
	return x
}

// resetReal sets R(−n) := B(−n)·f^n, that is ℓ(−n) := 0.
//
// Rounding: down, by a lower bound of f^n.
func (t *Tree) resetReal() {
	prec := t.Prec()
	mass := t.b.at(-t.n)
	if mass.Sign() == 0 && t.r.first > -t.n {
		return
	}
	w := workingPrec(prec)
	value := interval.FloorScaled(w.Scale(w.Mul(w.BigInt(mass), power(w, times(t.n, t.eta))), -int(prec)), prec)
	if t.r.first > -t.n {
		if value.Sign() == 0 {
			return
		}
		// B holds mass there and R nothing: it was rounded away.
		t.r.extend(-t.n)
	}
	t.r.set(0, value)
	t.r = t.r.trim()
}

// checkVirtual gives up the lower bound if V has grown so far by rounding up that
// a convolution might not fit its entries: the sum of a true V is at most 1.
func (t *Tree) checkVirtual() {
	s := t.v.v.Sum()
	s.Mul(s, s)
	if s.Rsh(s, t.Prec()).BitLen() >= convolve.EntryBits(t.Prec()) {
		t.forgetVirtual()
	}
}

// forgetVirtual makes V trivial.
func (t *Tree) forgetVirtual() {
	prec := t.Prec()
	t.blind, t.v, t.far.b, t.over.b = true, none(prec), one(prec), one(prec)
}
