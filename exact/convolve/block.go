// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import "math/bits"

// A transform of length N = r·2^k, r = 1, 3 or 5, stops at blocks of r entries:
// polynomials modulo x^r − c, which are multiplied by the schoolbook method. That costs
// less than one more level of radix r would.
//
// Block b of the last level comes from block ⌊b/2⌋ of the level before, modulo x^2r − s²
// with s = W[⌊b/2⌋], so that c = s for even b and −s for odd b.

// maxRadix is the largest r.
const maxRadix = 5

// A wide is a sum of products, in two words.
type wide struct{ hi, lo uint64 }

// plus returns a + x·y.
func (a wide) plus(x, y uint64) wide {
	h, l := bits.Mul64(x, y)
	lo, c := bits.Add64(a.lo, l, 0)
	return wide{a.hi + h + c, lo}
}

// redcSum returns a·2^−64 in [0, 2p), for a sum of at most 5 products of numbers below
// p, or as much: 5p² < 2p·2^64, as 5p < 2^65, so one subtraction of p·2^64 prepares it for
// redc.
func (m *prime) redcSum(a wide) uint64 { return m.redc(reduce(a.hi, m.p), a.lo) }

// below brings x < 4p below p.
func (m *prime) below(x uint64) uint64 { return reduce(reduce(x, m.twoP), m.p) }

// blockRoot returns the c of block b.
func (m *prime) blockRoot(b int, w []twiddle) twiddle {
	c := w[b/2]
	if b&1 == 1 {
		c = twiddle{m.p - c.w, ^c.q} // see invRoot
	}
	return c
}

// multiplyBlocks sets every block of x to its product with the block of y, times 2^−64,
// from entries in [0, 4p) to entries in [0, 2p).
func (m *prime) multiplyBlocks(x, y []uint64, r int, w []twiddle) {
	var u, v, low [maxRadix]uint64
	for b := 0; b*r < len(x); b++ {
		xs, ys := x[b*r:(b+1)*r], y[b*r:(b+1)*r]
		for i := range xs {
			u[i], v[i] = m.below(xs[i]), m.below(ys[i])
		}
		for k := range r {
			var s wide
			for i := range k + 1 { // i + j = k
				s = s.plus(u[i], v[k-i])
			}
			low[k] = m.redcSum(s)
		}
		c := m.blockRoot(b, w)
		xs[r-1] = low[r-1]
		for k := range r - 1 {
			var s wide
			for i := k + 1; i < r; i++ { // i + j = k + r
				s = s.plus(u[i], v[k+r-i])
			}
			xs[k] = reduce(low[k]+mulShoup(m.redcSum(s), c, m.p), m.twoP)
		}
	}
}

// squareBlocks is multiplyBlocks of x with itself.
func (m *prime) squareBlocks(x []uint64, r int, w []twiddle) {
	switch r {
	case 1:
		for i, a := range x {
			a = m.below(a)
			x[i] = m.redc(bits.Mul64(a, a))
		}
	case 3:
		for b := 0; 3*b < len(x); b++ {
			v := (*[3]uint64)(x[3*b:])
			m.square3(v, m.blockRoot(b, w))
		}
	case 5:
		for b := 0; 5*b < len(x); b++ {
			v := (*[5]uint64)(x[5*b:])
			m.square5(v, m.blockRoot(b, w))
		}
	}
}

// fold returns low + c·high for two sums, times 2^−64, in [0, 2p).
func (m *prime) fold(low, high wide, c twiddle) uint64 {
	return reduce(m.redcSum(low)+mulShoup(m.redcSum(high), c, m.p), m.twoP)
}

// square3 squares a polynomial modulo x³ − c. Doubled factors stay below 2p < 2^63.
func (m *prime) square3(v *[3]uint64, c twiddle) {
	a0, a1, a2 := m.below(v[0]), m.below(v[1]), m.below(v[2])
	d0, d1 := 2*a0, 2*a1
	var z wide
	v[0] = m.fold(z.plus(a0, a0), z.plus(d1, a2), c)
	v[1] = m.fold(z.plus(d0, a1), z.plus(a2, a2), c)
	v[2] = m.redcSum(z.plus(d0, a2).plus(a1, a1))
}

// square5 squares a polynomial modulo x⁵ − c.
func (m *prime) square5(v *[5]uint64, c twiddle) {
	a0, a1, a2, a3, a4 := m.below(v[0]), m.below(v[1]), m.below(v[2]), m.below(v[3]), m.below(v[4])
	d0, d1, d2, d3 := 2*a0, 2*a1, 2*a2, 2*a3
	var z wide
	v[0] = m.fold(z.plus(a0, a0), z.plus(d1, a4).plus(d2, a3), c)
	v[1] = m.fold(z.plus(d0, a1), z.plus(d2, a4).plus(a3, a3), c)
	v[2] = m.fold(z.plus(d0, a2).plus(a1, a1), z.plus(d3, a4), c)
	v[3] = m.fold(z.plus(d0, a3).plus(d1, a2), z.plus(a4, a4), c)
	v[4] = m.redcSum(z.plus(d0, a4).plus(d1, a3).plus(a2, a2))
}
