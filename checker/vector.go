// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math/big"
	"math/bits"
	"slices"
)

// A vector has masses a_i·2^−prec at the losses x_i = (first + i)·step, as evidence for one side.
//
// For the upper side b is nil: a_i is P-mass of loss x_i, whose Q-mass is a_i·e^(−x_i), and what
// is missing to 1 has infinite loss. Its profile is u(α) = 1 − Σ a_i + Σ a_i·(1 − αe^(−x_i))₊.
//
// For the lower side an entry is a group of outcomes: its P-mass is at least a_i and its Q-mass
// at most b_i. The index is a name, that is near the loss.
type vector struct {
	step  *big.Rat
	first int64
	prec  uint
	a, b  []*big.Int
	count []int64 // of each factor of the claim, how often it is in here
}

const (
	maxLength  = 1 << 20
	maxEntries = 1 << 24 // of all vectors of a certificate
	maxIndex   = 1 << 40
)

var maxStep = big.NewRat(1<<12, 1)

func newVector(step *big.Rat, first, last int64, prec uint, lower bool) *vector {
	rejectIf(last < first || last-first >= maxLength || first < -maxIndex || last > maxIndex, "a vector that is too long, or too far out")
	rejectIf(step.Cmp(maxStep) > 0, "a step that is too large")
	spend(float64(last-first) * 500)
	entries += last - first + 1
	rejectIf(entries > maxEntries, "it would take too much memory")
	v := &vector{step: step, first: first, prec: prec, a: zeros(int(last-first) + 1)}
	if lower {
		v.b = zeros(len(v.a))
	}
	return v
}

func zeros(n int) []*big.Int {
	out := make([]*big.Int, n)
	values := make([]big.Int, n)
	for i := range out {
		out[i] = &values[i]
	}
	return out
}

// like is a vector for what is made of v.
func (v *vector) like(step *big.Rat, first, last int64) *vector {
	w := newVector(step, first, last, v.prec, v.b != nil)
	w.count = slices.Clone(v.count)
	return w
}

// at are the masses of an entry, and put adds some to one; b is nil on the upper side.
func (v *vector) at(k int) (a, b *big.Int) {
	if v.b == nil {
		return v.a[k], nil
	}
	return v.a[k], v.b[k]
}

func (v *vector) put(k int, a, b *big.Int) {
	v.a[k].Add(v.a[k], a)
	if v.b != nil {
		v.b[k].Add(v.b[k], b)
	}
}

// coarsen doubles the step.
//
// Upper side: the mass a at an odd x goes to x − Δ and x + Δ so that its P- and Q-mass
// stay: a/(1 + e^Δ) and the rest. u then follows the chord between these two kinks, above what
// it was. The share below is rounded down, which moves mass up: it raises u again.
//
// Lower side: an odd group is split between its neighbours by a coin, rounded outward.
func (v *vector) coarsen() *vector {
	c := v.like(new(big.Rat).Add(v.step, v.step), v.first>>1, (v.first+int64(len(v.a)))>>1)
	share := integer(1).add(rational(v.step).exp()).inv().lo
	for k := range v.a {
		a, b := v.at(k)
		i := v.first + int64(k)
		j := int(i>>1 - c.first) // rounded down
		switch {
		case i&1 == 0:
			c.put(j, a, b)
		case b == nil:
			low := new(big.Int).Mul(a, share)
			c.put(j, low.Rsh(low, W), nil)
			c.put(j+1, new(big.Int).Sub(a, low), nil)
		default:
			half, more := new(big.Int).Rsh(a, 1), rshUp(b, 1)
			c.put(j, half, more)
			c.put(j+1, half, more)
		}
	}
	return c
}

// cut keeps the entries from lo to hi − 1. Upper side: what is below moves up to the first that
// stays, and what is above has infinite loss. Lower side: both masses of a group are dropped.
func (v *vector) cut(lo, hi int) *vector {
	rejectIf(lo < 0 || hi > len(v.a) || lo >= hi || lo == 0 && hi == len(v.a), "a cut that does not fit")
	spend(float64(lo) * 50)
	c := v.like(v.step, v.first+int64(lo), v.first+int64(hi)-1)
	for k := range hi {
		if a, b := v.at(k); k >= lo || b == nil {
			c.put(max(k-lo, 0), a, b)
		}
	}
	return c
}

// times composes two vectors. Upper side: Σ_{i+j=k} a_i·a'_j, of which prefix sums are rounded
// down: what is cut off goes to the next entry, at last to infinity, which raises u
// (docs/checker.md, theorem 3). Lower side: a is rounded down and b up, each entry by itself.
func (v *vector) times(w *vector) *vector {
	v.fits(w)
	c := v.like(v.step, v.first+w.first, v.first+w.first+int64(len(v.a)+len(w.a))-2)
	for i, n := range w.count {
		c.count[i] += n
		rejectIf(c.count[i] > maxCount, "too many compositions")
	}
	carry, ones := new(big.Int), new(big.Int).Lsh(oneUnit, v.prec)
	ones.Sub(ones, oneUnit)
	for k, x := range convolve(v.a, w.a) {
		if v.b == nil {
			carry.And(x.Add(x, carry), ones) // what is cut off
		}
		c.a[k].Rsh(x, v.prec)
	}
	if v.b != nil {
		for k, x := range convolve(v.b, w.b) {
			c.b[k] = rshUp(x, v.prec)
		}
	}
	return c
}

func (v *vector) fits(w *vector) {
	rejectIf(v.step.Cmp(w.step) != 0 || v.prec != w.prec || (v.b == nil) != (w.b == nil), "vectors that do not fit together")
}

// convolve returns Σ_{i+j=k} a_i·b_j: the digits of the product of two integers whose digits are
// a and b, to a base that no sum reaches (Kronecker).
func convolve(a, b []*big.Int) []*big.Int {
	digit := slices.MaxFunc(a, (*big.Int).Cmp).BitLen() + slices.MaxFunc(b, (*big.Int).Cmp).BitLen() + bits.Len(uint(min(len(a), len(b))))
	size := digit/8 + 1
	spend(float64(size) * power158(float64(len(a)+len(b))))
	pack := func(a []*big.Int) *big.Int {
		buf := make([]byte, size*len(a)) // the last digit first
		for i, x := range a {
			x.FillBytes(buf[size*(len(a)-1-i) : size*(len(a)-i)])
		}
		return new(big.Int).SetBytes(buf)
	}
	x := pack(a)
	y := x
	if &a[0] != &b[0] || len(a) != len(b) {
		y = pack(b)
	}
	out := zeros(len(a) + len(b) - 1)
	buf := make([]byte, size*(len(a)+len(b)))
	new(big.Int).Mul(x, y).FillBytes(buf)
	for k := range out {
		end := len(buf) - size*k
		out[k].SetBytes(buf[end-size : end])
	}
	return out
}

// atMost is an upper bound of δ(ε) of the composition of two vectors:
//
//	1 − Σ_{x_i+x_j ≤ ε} a_i·b_j − e^ε·Σ_{x_i+x_j > ε} a_i·e^(−x_i)·b_j·e^(−x_j).
//
// Which pairs are ≤ ε is exact.
func atMost(v, w *vector, eps *big.Rat) *big.Rat {
	limit := v.limit(w, eps)
	finite := pairs(v.a, w.a, -1)
	finite.Sub(finite, pairs(v.a, w.a, limit))
	weighted := fraction(pairs(v.weights(), w.weights(), limit), 2*W)
	return integer(1).sub(fraction(finite, 2*v.prec)).sub(rational(eps).exp().mul(weighted)).high()
}

// limit is the greatest i + j with x_i + x_j ≤ ε.
func (v *vector) limit(w *vector, eps *big.Rat) int64 {
	v.fits(w)
	q := new(big.Rat).Quo(eps, v.step)
	n := floorDiv(q.Num(), q.Denom())
	rejectIf(n.BitLen() > 50, "a step that is too small")
	return n.Int64() - v.first - w.first
}

// weights are lower bounds of the Q-masses a_i·e^(−x_i), in units of 2^−W.
func (v *vector) weights() []*big.Int {
	x := rational(new(big.Rat).Mul(v.step, new(big.Rat).SetInt64(-v.first))).exp()
	ratio := rational(new(big.Rat).Neg(v.step)).exp()
	out := make([]*big.Int, len(v.a))
	for i, a := range v.a {
		out[i] = fraction(a, v.prec).mul(x).lo
		x = x.mul(ratio)
	}
	return out
}

// atLeast is a lower bound of δ(ε): for every set S of pairs of groups,
// δ(ε) ≥ P(S) − e^ε·Q(S). The sets are those with i + j above a number near ε/step.
func atLeast(v, w *vector, eps *big.Rat) *big.Rat {
	alpha, best, middle := rational(eps).exp(), integer(0), v.limit(w, eps)
	for limit := middle - 2; limit <= middle+2; limit++ {
		p := fraction(pairs(v.a, w.a, limit), 2*v.prec)
		q := fraction(pairs(v.b, w.b, limit), 2*v.prec)
		best = best.max(p.sub(alpha.mul(q)))
	}
	return best.low()
}

// pairs is Σ a_i·b_j over i + j > limit.
func pairs(a, b []*big.Int, limit int64) *big.Int {
	suffix := zeros(len(b) + 1)
	for j := len(b) - 1; j >= 0; j-- {
		suffix[j].Add(suffix[j+1], b[j])
	}
	sum, t := new(big.Int), new(big.Int)
	for i, x := range a {
		k := min(max(limit-int64(i)+1, 0), int64(len(b)))
		sum.Add(sum, t.Mul(x, suffix[k]))
	}
	return sum
}
