// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// A vector has masses a_i·2^−prec at the losses x_i = (first + i)·step, as evidence for one side.
//
// For the upper side b is nil: a_i is P-mass of loss x_i, whose Q-mass is a_i·e^(−x_i), and what
// is missing to 1 has infinite loss. Its profile is u(α) = 1 − Σ a_i + Σ a_i·(1 − αe^(−x_i))₊.
//
// For the lower side, outcomes have an index, a whole number near the loss over the step, or none: of indices of at
// least k, the P-mass is at least Σ_{i≥k} a_i, and the Q-mass at most Σ_{i≥k} b_i.
//
// So masses of a move up on the upper side and down on the lower one, and masses of b move up.
// Masses may be shared by vectors: they are not changed once they are there.
type vector struct {
	step  *big.Rat
	first int64
	prec  uint
	a, b  []*big.Int
	count []int64 // of each factor of the claim, how often it is in here
}

// newVector is one whose entries are to come.
func newVector(step *big.Rat, first, last int64, prec uint, count []int64) *vector {
	rejectIf(first < -maxIndex || last > maxIndex || last < first || last-first >= maxLength, "a vector too long, or far")
	rejectIf(step.Cmp(maxStep) > 0, "a step that is too large")
	spend(float64(last-first+1) * maxWork / maxEntries)
	return &vector{step: step, first: first, prec: prec, count: count}
}

// zeros has room for numbers of so many bits, and some more.
func zeros(n int, bits uint) (out []*big.Int) {
	words, room := int(bits/64)+2, make([]big.Word, n*(int(bits/64)+2))
	for i := range n {
		out = append(out, new(big.Int).SetBits(room[i*words:i*words:(i+1)*words]))
	}
	return out
}

// A way is where mass moves, to larger losses and indices or to smaller ones.
type way int

const up, down way = 1, -1

// coarsen doubles the step.
//
// Upper side: the mass a at an odd x goes to x − Δ and x + Δ so that its P- and Q-mass
// stay: a/(1 + e^Δ) and the rest. u then follows the chord between these two kinks, above what
// it was. The share below is rounded down, which moves mass up: it raises u again.
//
// Lower side: a coin, with the same odds, gives an odd index to one of its neighbours.
func (v *vector) coarsen() *vector {
	last := (v.first + int64(len(v.a))) >> 1
	c := newVector(new(big.Rat).Add(v.step, v.step), v.first>>1, last, v.prec, v.count)
	share := integer(1).add(rational(v.step).exp()).inv().lo
	c.a, c.b = v.each(func(list []*big.Int, w way) []*big.Int {
		half := zeros(int(last-c.first)+1, v.prec)
		for k, x := range list {
			i := v.first + int64(k)
			y := half[i>>1-c.first:] // i>>1 is rounded down
			if i&1 == 0 {
				y[0].Add(y[0], x)
			} else {
				split(y, x, share, W, w)
			}
		}
		return half
	})
	return c
}

// split adds a mass to two entries: a share of 2^bits to the lower one, and the rest to the upper one. Mass moves up or
// down.
func split(to []*big.Int, mass, share *big.Int, bits uint, w way) {
	product := new(big.Int).Mul(mass, share)
	low := rshUp(product, bits)
	if w == up {
		low.Rsh(product, bits)
	}
	to[0].Add(to[0], low)
	to[1].Add(to[1], low.Sub(mass, low))
}

// each makes new masses of a and b; of b if there is one. Mass moves up or down.
func (v *vector) each(f func(list []*big.Int, w way) []*big.Int) (a, b []*big.Int) {
	if v.b == nil {
		return f(v.a, up), nil
	}
	return f(v.a, down), f(v.b, up)
}

// cut keeps the entries from lo to hi − 1. Upper side: what is below moves up to the first that
// stays, and what is above has infinite loss. Lower side: what is below has no index any more, and what is
// above has the last one that stays.
func (v *vector) cut(lo, hi int) *vector {
	rejectIf(lo < 0 || hi > len(v.a) || lo >= hi || lo == 0 && hi == len(v.a), "a cut that does not fit")
	spend(float64(len(v.a)) * 50)
	c := newVector(v.step, v.first+int64(lo), v.first+int64(hi)-1, v.prec, v.count)
	c.a, c.b = v.each(func(list []*big.Int, _ way) []*big.Int {
		kept, to, moved := slices.Clone(list[lo:hi]), 0, list[:lo]
		if v.b != nil {
			to, moved = hi-lo-1, list[hi:]
		}
		sum := new(big.Int).Set(kept[to])
		for _, m := range moved {
			sum.Add(sum, m)
		}
		kept[to] = sum
		return kept
	})
	return c
}

// times composes two vectors. Upper side: Σ_{i+j=k} a_i·a'_j, of which prefix sums are rounded
// down: what is cut off goes to the next entry, at last to infinity, which raises u
// (docs/checker.md, theorem 3). Lower side: so are those of b, and of a sums from above (theorem 4).
func (v *vector) times(w *vector) *vector {
	v.fits(w)
	c := newVector(v.step, v.first+w.first, v.first+w.first+int64(len(v.a)+len(w.a))-2, v.prec, slices.Clone(v.count))
	for i, n := range w.count {
		c.count[i] += n
		rejectIf(c.count[i] > maxCount, "too many compositions")
	}
	c.a = convolve(v.a, w.a)
	if v.b != nil {
		c.b = convolve(v.b, w.b)
	}
	c.shorten(v.prec)
	return c
}

// shorten takes bits off all entries, what is cut off going to the next entry: upwards, of which the last is infinity,
// or for b, one unit more of the last entry; and for a of the lower side downwards, of which the last is nowhere.
func (v *vector) shorten(bits uint) {
	ones := new(big.Int).Sub(new(big.Int).Lsh(oneUnit, bits), oneUnit)
	v.each(func(list []*big.Int, w way) []*big.Int {
		order, carry := slices.Backward(list), new(big.Int)
		if w == up {
			order = slices.All(list)
		}
		for _, x := range order {
			carry.And(x.Add(x, carry), ones)
			x.Rsh(x, bits)
		}
		return list
	})
	if v.b != nil {
		last := v.b[len(v.b)-1]
		last.Add(last, oneUnit)
	}
}

func (v *vector) fits(w *vector) {
	rejectIf(v.step.Cmp(w.step) != 0 || v.prec != w.prec || (v.b == nil) != (w.b == nil), "vectors that do not fit")
}

// convolve returns Σ_{i+j=k} a_i·b_j: the digits of the product of two integers whose digits are
// a and b, to a base that no sum reaches (Kronecker).
func convolve(a, b []*big.Int) []*big.Int {
	most := func(a []*big.Int) int { return slices.MaxFunc(a, (*big.Int).Cmp).BitLen() }
	digit := most(a) + most(b) + bits.Len(uint(min(len(a), len(b))))
	size := digit/8 + 1
	spend(float64(size) * math.Pow(float64(len(a)+len(b)), 1.585)) // as Karatsuba has it
	pack := func(a []*big.Int) *big.Int {
		buf := make([]byte, size*len(a)) // the last digit first
		for i, x := range a {
			x.FillBytes(buf[size*(len(a)-1-i) : size*(len(a)-i)])
		}
		return new(big.Int).SetBytes(buf)
	}
	x, y := pack(a), pack(b)
	if x.Cmp(y) == 0 {
		y = x // squares take less time
	}
	out := zeros(len(a)+len(b)-1, uint(digit))
	buf := x.Mul(x, y).FillBytes(make([]byte, size*(len(a)+len(b))))
	for k := range out {
		out[k].SetBytes(buf[len(buf)-size*(k+1) : len(buf)-size*k])
	}
	return out
}

// delta bounds δ(ε) of the composition of two vectors by the outcomes whose losses, or indices times the step, add up
// to more than ε: from above on the upper side, from below on the lower one. Which pairs these are is exact. On both
// sides it is
//
//	Σ a_i·a_j − e^ε·Σ b_i·b_j over x_i + x_j > ε,
//
// with Q-masses b_i = a_i·e^(−x_i) on the upper side, where what has infinite loss comes to it.
func delta(v, w *vector, eps *big.Rat) iv {
	v.fits(w)
	n := new(big.Rat).Quo(eps, v.step)
	most := floorDiv(n.Num(), n.Denom())
	rejectIf(most.BitLen() > 50, "a step that is too small")
	limit := most.Int64() - v.first - w.first
	x, bits := v.weights()
	y, _ := w.weights()
	p := fraction(pairs(v.a, w.a, limit), 2*v.prec)
	if v.b == nil {
		p = p.add(integer(1)).sub(fraction(pairs(v.a, w.a, -1), 2*v.prec))
	}
	return p.sub(rational(eps).exp().mul(fraction(pairs(x, y, limit), 2*bits))).max(integer(0))
}

// weights are the Q-masses, in units of 2^−bits: lower bounds of a_i·e^(−x_i) on the upper side.
func (v *vector) weights() (out []*big.Int, bits uint) {
	if v.b != nil {
		return v.b, v.prec
	}
	x := rational(new(big.Rat).Mul(v.step, new(big.Rat).SetInt64(-v.first))).exp()
	ratio := rational(new(big.Rat).Neg(v.step)).exp()
	for _, a := range v.a {
		out = append(out, fraction(a, v.prec).mul(x).lo)
		x = x.mul(ratio)
	}
	return out, W
}

// pairs is Σ a_i·b_j over i + j > limit.
func pairs(a, b []*big.Int, limit int64) *big.Int {
	suffix := zeros(len(b)+1, uint(b[0].BitLen()))
	for j := len(b) - 1; j >= 0; j-- {
		suffix[j].Add(suffix[j+1], b[j])
	}
	sum, t := new(big.Int), new(big.Int)
	for i, x := range a {
		sum.Add(sum, t.Mul(x, suffix[min(max(limit-int64(i)+1, 0), int64(len(b)))]))
	}
	return sum
}
