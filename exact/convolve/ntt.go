// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import "math/bits"

// The number-theoretic transform maps a polynomial modulo x^N − 1 to its values at
// the N-th roots of unity modulo p, in an order that is the same for all inputs,
// so that products can be taken entry by entry.
//
// A block of length L stands for a polynomial modulo x^L − s². It splits into the
// halves modulo x^(L/2) − s and x^(L/2) + s: from a₀ + a₁·x^(L/2) to a₀ ± s·a₁. Block b of
// a level has s = W[b], W[0] = 1, W[2b] = √W[b], W[2b+1] = √−1·W[2b]: a table that does
// not depend on the level or on N, in "bit-reversed" order. No permutation of the
// entries is ever needed.
//
// Entries are lazy representatives (Harvey 2014): in [0, 4p) on the way down, in
// [0, 2p) on the way up.

// roots returns W[0..n).
func (m *prime) roots(n int) []twiddle {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.w) >= n {
		return m.w[:n]
	}
	size := max(n, 2)
	size = 1 << bits.Len(uint(size-1))
	w := make([]twiddle, size)
	w[0] = m.shoup(1)
	// W[2^k + j] = W[2^k]·W[j] for j < 2^k, and W[2^k] has order 2^(k+2).
	for k := 0; 1<<k < size; k++ {
		r := m.shoup(m.root(4 << k))
		w[1<<k] = r
		for j := 1; j < 1<<k; j++ {
			w[1<<k+j] = m.shoup(reduce(mulShoup(w[j].w, r, m.p), m.p))
		}
	}
	m.w = w
	return w[:n]
}

// reduce brings x < 2p below p.
func reduce(x, p uint64) uint64 {
	if x >= p {
		x -= p
	}
	return x
}

// leafLen is the block length below which the transform goes level by level: 2048
// words stay in the first-level cache.
const leafLen = 2048

// forward transforms a, of length r·2^k, as block b of its level, down to blocks of
// length r.
func (m *prime) forward(a []uint64, b, r int, w []twiddle) {
	if len(a) > leafLen {
		m.split4(a, b, w)
		q := len(a) / 4
		for i := range 4 {
			m.forward(a[i*q:(i+1)*q], 4*b+i, r, w)
		}
		return
	}
	l := len(a)
	if bits.Len(uint(l/r))&1 == 0 { // an odd number of levels
		m.split2(a, b, w)
		l /= 2
		b *= 2
	}
	for ; l >= 4*r; l /= 4 {
		if l == 4*r {
			m.split4last(a, b, r, w)
		} else {
			for i := 0; i < len(a)/l; i++ {
				m.split4(a[i*l:(i+1)*l], b+i, w)
			}
		}
		b *= 4
	}
}

// split2 does one level of one block.
func (m *prime) split2(a []uint64, b int, w []twiddle) {
	p, twoP := m.p, m.twoP
	t := w[b]
	h := len(a) / 2
	x0, x1 := a[:h:h], a[h:2*h:2*h]
	for j, u := range x0 {
		if u >= twoP {
			u -= twoP
		}
		v := mulShoup(x1[j], t, p)
		x0[j] = u + v
		x1[j] = u - v + twoP
	}
}

// split4 does two levels of one block.
func (m *prime) split4(a []uint64, b int, w []twiddle) {
	if b == 0 {
		m.split4zero(a, w)
		return
	}
	p, twoP := m.p, m.twoP
	t, t0, t1 := w[b], w[2*b], w[2*b+1]
	h := len(a) / 4
	x0, x1, x2, x3 := a[:h:h], a[h:2*h:2*h], a[2*h:3*h:3*h], a[3*h:4*h:4*h]
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	for j, u0 := range x0 {
		u1 := x1[j]
		v0 := mulShoup(x2[j], t, p)
		v1 := mulShoup(x3[j], t, p)
		if u0 >= twoP {
			u0 -= twoP
		}
		if u1 >= twoP {
			u1 -= twoP
		}
		s0, s1 := u0+v0, u1+v1
		d0, d1 := u0-v0+twoP, u1-v1+twoP
		y1 := mulShoup(s1, t0, p)
		y3 := mulShoup(d1, t1, p)
		if s0 >= twoP {
			s0 -= twoP
		}
		if d0 >= twoP {
			d0 -= twoP
		}
		x0[j] = s0 + y1
		x1[j] = s0 - y1 + twoP
		x2[j] = d0 + y3
		x3[j] = d0 - y3 + twoP
	}
}

// split4zero is split4 for block 0, where two of the roots are 1 and the third is
// √−1.
func (m *prime) split4zero(a []uint64, w []twiddle) {
	p, twoP := m.p, m.twoP
	t1 := w[1]
	h := len(a) / 4
	x0, x1, x2, x3 := a[:h:h], a[h:2*h:2*h], a[2*h:3*h:3*h], a[3*h:4*h:4*h]
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	for j, u0 := range x0 {
		u1, v0, v1 := x1[j], x2[j], x3[j]
		if u0 >= twoP {
			u0 -= twoP
		}
		if u1 >= twoP {
			u1 -= twoP
		}
		if v0 >= twoP {
			v0 -= twoP
		}
		if v1 >= twoP {
			v1 -= twoP
		}
		s0, s1 := u0+v0, u1+v1
		d0, d1 := u0-v0+twoP, u1-v1+twoP
		y3 := mulShoup(d1, t1, p)
		if s0 >= twoP {
			s0 -= twoP
		}
		if s1 >= twoP {
			s1 -= twoP
		}
		if d0 >= twoP {
			d0 -= twoP
		}
		x0[j] = s0 + s1
		x1[j] = s0 - s1 + twoP
		x2[j] = d0 + y3
		x3[j] = d0 - y3 + twoP
	}
}

// split4last does the last two levels of all blocks of length 4r, the first of which is
// block b.
func (m *prime) split4last(a []uint64, b, r int, w []twiddle) {
	p, twoP := m.p, m.twoP
	n := len(a) / (4 * r)
	wt := w[b : b+n]
	w2 := w[2*b : 2*b+2*n]
	for i, t := range wt {
		t0, t1 := w2[2*i], w2[2*i+1]
		x := a[4*r*i : 4*r*(i+1)]
		x0, x1, x2, x3 := x[:r], x[r:2*r], x[2*r:3*r], x[3*r:4*r]
		for j, u0 := range x0 {
			u1 := x1[j]
			v0 := mulShoup(x2[j], t, p)
			v1 := mulShoup(x3[j], t, p)
			if u0 >= twoP {
				u0 -= twoP
			}
			if u1 >= twoP {
				u1 -= twoP
			}
			s0, s1 := u0+v0, u1+v1
			d0, d1 := u0-v0+twoP, u1-v1+twoP
			y1 := mulShoup(s1, t0, p)
			y3 := mulShoup(d1, t1, p)
			if s0 >= twoP {
				s0 -= twoP
			}
			if d0 >= twoP {
				d0 -= twoP
			}
			x0[j] = s0 + y1
			x1[j] = s0 - y1 + twoP
			x2[j] = d0 + y3
			x3[j] = d0 - y3 + twoP
		}
	}
}

// inverse undoes forward up to the factor len(a)/r, from entries in [0, 2p) to
// entries in [0, 2p).
func (m *prime) inverse(a []uint64, b, r int, w []twiddle) {
	if len(a) > leafLen {
		q := len(a) / 4
		for i := range 4 {
			m.inverse(a[i*q:(i+1)*q], 4*b+i, r, w)
		}
		m.join4(a, b, w)
		return
	}
	// The levels of forward, backwards.
	l, c := 4*r, b*(len(a)/(4*r))
	for ; l <= len(a); l *= 4 {
		if l == 4*r {
			m.join4first(a, c, r, w)
			c /= 4
			continue
		}
		for i := 0; i < len(a)/l; i++ {
			m.join4(a[i*l:(i+1)*l], c+i, w)
		}
		c /= 4
	}
	if l/4 < len(a) {
		m.join2(a, b, w)
	}
}

// invRoot returns W[b]^−1. In the level of b ∈ [2^k, 2^(k+1)), exponents e(b) and
// e(b′), b′ = 3·2^k − 1 − b, add up to half a turn, so W[b]^−1 = −W[b′]; the Shoup
// quotient of p − w is 2^64 − 1 − ⌊w·2^64/p⌋ because w·2^64/p is no integer.
func (m *prime) invRoot(b int, w []twiddle) twiddle {
	if b == 0 {
		return w[0]
	}
	k := bits.Len(uint(b)) - 1
	t := w[3<<k-1-b]
	return twiddle{m.p - t.w, ^t.q}
}

func (m *prime) join2(a []uint64, b int, w []twiddle) {
	p, twoP := m.p, m.twoP
	t := m.invRoot(b, w)
	h := len(a) / 2
	x0, x1 := a[:h:h], a[h:2*h:2*h]
	x1 = x1[:len(x0)]
	for j, u := range x0 {
		v := x1[j]
		s := u + v
		if s >= twoP {
			s -= twoP
		}
		x0[j] = s
		x1[j] = mulShoup(u-v+twoP, t, p)
	}
}

// join4first undoes the last two levels of all blocks of length 4r, the first of
// which is block b.
func (m *prime) join4first(a []uint64, b, r int, w []twiddle) {
	p, twoP := m.p, m.twoP
	for i := 0; i < len(a)/(4*r); i++ {
		t, t0, t1 := m.invRoot(b+i, w), m.invRoot(2*(b+i), w), m.invRoot(2*(b+i)+1, w)
		x := a[4*r*i : 4*r*(i+1)]
		x0, x1, x2, x3 := x[:r], x[r:2*r], x[2*r:3*r], x[3*r:4*r]
		for j, y0 := range x0 {
			y1, y2, y3 := x1[j], x2[j], x3[j]
			s0 := y0 + y1
			s1 := mulShoup(y0-y1+twoP, t0, p)
			d0 := y2 + y3
			d1 := mulShoup(y2-y3+twoP, t1, p)
			if s0 >= twoP {
				s0 -= twoP
			}
			if d0 >= twoP {
				d0 -= twoP
			}
			u0, u1 := s0+d0, s1+d1
			if u0 >= twoP {
				u0 -= twoP
			}
			if u1 >= twoP {
				u1 -= twoP
			}
			x0[j] = u0
			x1[j] = u1
			x2[j] = mulShoup(s0-d0+twoP, t, p)
			x3[j] = mulShoup(s1-d1+twoP, t, p)
		}
	}
}

func (m *prime) join4(a []uint64, b int, w []twiddle) {
	if b == 0 {
		m.join4zero(a, w)
		return
	}
	p, twoP := m.p, m.twoP
	t, t0, t1 := m.invRoot(b, w), m.invRoot(2*b, w), m.invRoot(2*b+1, w)
	h := len(a) / 4
	x0, x1, x2, x3 := a[:h:h], a[h:2*h:2*h], a[2*h:3*h:3*h], a[3*h:4*h:4*h]
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	for j, y0 := range x0 {
		y1, y2, y3 := x1[j], x2[j], x3[j]
		s0 := y0 + y1
		s1 := mulShoup(y0-y1+twoP, t0, p)
		d0 := y2 + y3
		d1 := mulShoup(y2-y3+twoP, t1, p)
		if s0 >= twoP {
			s0 -= twoP
		}
		if d0 >= twoP {
			d0 -= twoP
		}
		u0, u1 := s0+d0, s1+d1
		if u0 >= twoP {
			u0 -= twoP
		}
		if u1 >= twoP {
			u1 -= twoP
		}
		x0[j] = u0
		x1[j] = u1
		x2[j] = mulShoup(s0-d0+twoP, t, p)
		x3[j] = mulShoup(s1-d1+twoP, t, p)
	}
}

// join4zero undoes split4zero.
func (m *prime) join4zero(a []uint64, w []twiddle) {
	p, twoP := m.p, m.twoP
	t1 := m.invRoot(1, w)
	h := len(a) / 4
	x0, x1, x2, x3 := a[:h:h], a[h:2*h:2*h], a[2*h:3*h:3*h], a[3*h:4*h:4*h]
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	for j, y0 := range x0 {
		y1, y2, y3 := x1[j], x2[j], x3[j]
		s0, s1 := y0+y1, y0-y1+twoP
		d0 := y2 + y3
		d1 := mulShoup(y2-y3+twoP, t1, p)
		if s0 >= twoP {
			s0 -= twoP
		}
		if s1 >= twoP {
			s1 -= twoP
		}
		if d0 >= twoP {
			d0 -= twoP
		}
		u0, u1 := s0+d0, s1+d1
		v0, v1 := s0-d0+twoP, s1-d1+twoP
		if u0 >= twoP {
			u0 -= twoP
		}
		if u1 >= twoP {
			u1 -= twoP
		}
		if v0 >= twoP {
			v0 -= twoP
		}
		if v1 >= twoP {
			v1 -= twoP
		}
		x0[j], x1[j], x2[j], x3[j] = u0, u1, v0, v1
	}
}
