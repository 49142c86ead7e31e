// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import "math/bits"

// words computes one residue at a time, in words of 64 bits, on any machine. transform.go has the ranges.
var words = &unit{
	name: "words", split2: split2, join2: join2, split4: split4, join4: join4, radix3: radix3, radix5: radix5,
	multiply: multiply, load: load, horner: horner, crt: (*remainders).words,
}

// mulShoup is MULSHOUP modulo p: with 4096q in the place of q, the high word of a product is ⌊xq/2^52⌋. xw − qp is
// below 2^64.
func mulShoup(x, w, q, p uint64) uint64 {
	h, _ := bits.Mul64(x, q)
	return x*w - h*p
}

// times is mulShoup for a twiddle.
func (m *constants) times(x uint64, t twiddle) uint64 { return mulShoup(x, t.w, t.q<<12, m.p) }

// plus returns x + y < 4p below 2p.
func (m *constants) plus(x, y uint64) uint64 { return reduce(x+y, m.twoP) }

// minus is MINUS.
func (m *constants) minus(x, y uint64) uint64 { return x - y + m.twoP }

// below brings x < 4p below p.
func (m *constants) below(x uint64) uint64 { return reduce(reduce(x, m.twoP), m.p) }

func split2(x []uint64, h int, w []twiddle, m *constants) {
	p, twoP := m.p, m.twoP
	for b := 0; len(x) >= 2*h; b++ {
		lo, hi, t, q := x[:h], x[h:][:h], w[b].w, w[b].q<<12
		for j, u := range lo {
			u, v := reduce(u, twoP), mulShoup(hi[j], t, q, p)
			lo[j], hi[j] = u+v, u-v+twoP
		}
		x = x[2*h:]
	}
}

func join2(x []uint64, h int, w []twiddle, m *constants) {
	p, twoP := m.p, m.twoP
	for b := 0; len(x) >= 2*h; b++ {
		lo, hi, t, q := x[:h], x[h:][:h], w[b].w, w[b].q<<12
		for j, u := range lo {
			v := hi[j]
			lo[j], hi[j] = reduce(u+v, twoP), mulShoup(u-v+twoP, t, q, p)
		}
		x = x[2*h:]
	}
}

// split4 is split2 of a level and of the next one.
func split4(x []uint64, h int, w, v []twiddle, m *constants) {
	p, twoP := m.p, m.twoP
	for b := 0; len(x) >= 4*h; b++ {
		x0, x1, x2, x3, t, t0, t1 := x[:h], x[h:][:h], x[2*h:][:h], x[3*h:][:h], w[b], v[2*b], v[2*b+1]
		q, q0, q1 := t.q<<12, t0.q<<12, t1.q<<12
		for j, u0 := range x0 {
			u0, u1, v0, v1 := reduce(u0, twoP), reduce(x1[j], twoP), mulShoup(x2[j], t.w, q, p),
				mulShoup(x3[j], t.w, q, p)
			s, d := reduce(u0+v0, twoP), reduce(u0-v0+twoP, twoP)
			y, z := mulShoup(u1+v1, t0.w, q0, p), mulShoup(u1-v1+twoP, t1.w, q1, p)
			x0[j], x1[j], x2[j], x3[j] = s+y, s-y+twoP, d+z, d-z+twoP
		}
		x = x[4*h:]
	}
}

// join4 is join2 of a level and of the one before.
func join4(x []uint64, h int, w, v []twiddle, m *constants) {
	p, twoP := m.p, m.twoP
	for b := 0; len(x) >= 4*h; b++ {
		x0, x1, x2, x3, t, t0, t1 := x[:h], x[h:][:h], x[2*h:][:h], x[3*h:][:h], w[b], v[2*b], v[2*b+1]
		q, q0, q1 := t.q<<12, t0.q<<12, t1.q<<12
		for j, y0 := range x0 {
			y1, y2, y3 := x1[j], x2[j], x3[j]
			s, d := reduce(y0+y1, twoP), reduce(y2+y3, twoP)
			y, z := mulShoup(y0-y1+twoP, t0.w, q0, p), mulShoup(y2-y3+twoP, t1.w, q1, p)
			x0[j], x1[j] = reduce(s+d, twoP), reduce(y+z, twoP)
			x2[j], x3[j] = mulShoup(s-d+twoP, t.w, q, p), mulShoup(y-z+twoP, t.w, q, p)
		}
		x = x[4*h:]
	}
}

func radix3(x []uint64, h int, c []twiddle, m *constants) {
	for j := range h {
		x0, x1, x2 := x[j], x[h+j], x[2*h+j]
		s, d := x1+x2, m.minus(x1, x2)
		mid, e := m.plus(x0, m.times(s, c[0])), m.times(d, c[1])
		x[j], x[h+j], x[2*h+j] = x0+reduce(s, m.twoP), mid+e, m.minus(mid, e)
	}
}

func radix5(x []uint64, h int, c []twiddle, m *constants) {
	for j := range h {
		x0, x1, x2, x3, x4 := x[j], x[h+j], x[2*h+j], x[3*h+j], x[4*h+j]
		s1, s2, d1, d2 := x1+x4, x2+x3, m.minus(x1, x4), m.minus(x2, x3)
		m1 := m.plus(m.plus(m.times(s1, c[0]), m.times(s2, c[1])), x0)
		m2 := m.plus(m.plus(m.times(s1, c[1]), m.times(s2, c[0])), x0)
		e1 := m.plus(m.times(d1, c[2]), m.times(d2, c[3]))
		e2 := reduce(m.minus(m.times(d1, c[3]), m.times(d2, c[2])), m.twoP)
		x[j] = x0 + m.plus(reduce(s1, m.twoP), reduce(s2, m.twoP))
		x[h+j], x[4*h+j] = m1+e1, m.minus(m1, e1)
		x[2*h+j], x[3*h+j] = m2+e2, m.minus(m2, e2)
	}
}

// A wide is a sum of products, in two words.
type wide struct{ hi, lo uint64 }

// plus returns a + x·y.
func (a wide) plus(x, y uint64) wide {
	h, l := bits.Mul64(x, y)
	lo, c := bits.Add64(a.lo, l, 0)
	return wide{a.hi + h + c, lo}
}

// above returns ⌊a/2^52⌋, which fits a word if a < 2^116.
func (a wide) above() uint64 { return a.hi<<12 | a.lo>>52 }

// multiply: S + 2^52·p − kp is a multiple of 2^52 in (0, 3p·2^52).
func multiply(x, y []uint64, w []twiddle, m *constants) {
	// The factors of u_i in entry e are f[7−e+i]: v_j = f[7−j], and ±c·v_j = f[15−j].
	var u [lanes]uint64
	var f [2 * lanes]uint64
	for b := 0; lanes*b < len(x); b++ {
		xs, ys, c := x[lanes*b:lanes*(b+1)], y[lanes*b:lanes*(b+1)], w[b/2]
		for i := range lanes {
			v := m.below(ys[i])
			u[i], f[lanes-1-i] = m.below(xs[i]), v
			if v = reduce(m.times(v, c), m.p); b&1 == 1 {
				v = m.p - v
			}
			f[2*lanes-1-i] = v
		}
		for e := range lanes {
			g := (*[lanes]uint64)(f[lanes-1-e:])
			s := wide{m.p >> 12, m.p << 52}.plus(u[0], g[0]).plus(u[1], g[1]).plus(u[2], g[2]).plus(u[3], g[3])
			s = s.plus(u[4], g[4]).plus(u[5], g[5]).plus(u[6], g[6]).plus(u[7], g[7])
			h, l := bits.Mul64(s.lo*m.pinv&mask52, m.p)
			lo, borrow := bits.Sub64(s.lo, l, 0)
			xs[e] = reduce(wide{s.hi - h - borrow, lo}.above(), m.twoP)
		}
	}
}

func load(x []uint64, l *limbs, w []twiddle, m *constants) {
	p, twoP := m.p, m.twoP
	clear(x[:l.stride])
	for k, t := range w[:l.n] {
		plane := l.planes[k*l.stride:][:l.stride]
		for i, y := range x[:len(plane)] {
			x[i] = reduce(y+mulShoup(plane[i], t.w, t.q<<12, p), twoP)
		}
	}
}

func horner(acc *[lanes]uint64, x []uint64, z twiddle, m *constants) {
	for g := len(x) - lanes; g >= 0; g -= lanes {
		for i := range acc {
			acc[i] = m.plus(m.times(acc[i], z), x[g+i])
		}
	}
}

// words: see crt.go. Sums of products below 2^103 of any number of primes fit two words, and fractions are brought
// below a unit one by one.
func (c *remainders) words(residues []uint64, stride int, out, digits []uint64, acc *[lanes]uint64) {
	k := len(c.constants)
	digits = digits[:k+1]
	for e := len(out)/c.limbs - 1; e >= 0; e-- {
		frac, whole := uint64(1)<<46, uint64(0) // 1/8
		for i, p := range c.constants {
			v := residues[i*stride+e]
			q, _ := bits.Mul64(v, p[1]<<12)
			y := (v*p[0] + q*p[2]) & mask52
			f, _ := bits.Mul64(y, p[3]<<12)
			frac += f
			whole += frac >> 49
			frac &= 1<<49 - 1
			digits[i] = y
		}
		digits[k] = whole
		var carry, value wide
		x := out[e/lanes*lanes*c.limbs+e%lanes:]
		for l := range c.limbs {
			sum := carry
			row := c.cofactors[(l+1)*(k+1):][:len(digits)]
			for i, y := range digits {
				sum = sum.plus(y, row[i])
			}
			limb := sum.lo & mask52
			x[l*lanes], carry, value = limb, wide{sum.hi >> 52, sum.above()}, value.plus(limb, c.powers[l])
		}
		q := &c.check.constants
		acc[e%lanes] = q.plus(q.times(acc[e%lanes], c.check.z8), bits.Rem64(value.hi, value.lo, q.p))
	}
}
