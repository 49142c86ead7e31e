// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels of words.go and of ifma_amd64.s as loops in Go, one residue at a time, each step with the
// range that transform.go states for it, and by 52-bit products.
type model struct {
	t *testing.T
	m *prime
}

// in fails unless x < bound.
func (k model) in(x, bound uint64) uint64 {
	if x >= bound {
		k.t.Helper()
		k.t.Fatalf("%d is not below %d", x, bound)
	}
	return x
}

// madd returns ⌊xy/2^52⌋ and xy mod 2^52 for the low 52 bits of x and y.
func madd(x, y uint64) (hi, lo uint64) {
	h, l := bits.Mul64(x&mask52, y&mask52)
	return h<<12 | l>>52, l & mask52
}

func (k model) mulShoup(x uint64, w twiddle) uint64 {
	k.in(x, 1<<52)
	q, _ := madd(x, w.q)
	_, r := madd(x, w.w)
	_, s := madd(q, k.m.neg)
	return k.in((r+s)&mask52, k.m.twoP)
}

func (k model) reduce(x, b uint64) uint64 { return k.in(reduce(k.in(x, 2*b), b), b) }

func (k model) minus(x, y uint64) uint64 {
	return k.in(k.in(x, k.m.twoP)-k.in(y, k.m.twoP)+k.m.twoP, 2*k.m.twoP)
}

func (k model) plus(x, y uint64) uint64 {
	return k.in(k.in(x, k.m.twoP)+k.in(y, k.m.twoP), 2*k.m.twoP)
}

func (k model) split2(x []uint64, h int, w []twiddle) {
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, v := k.reduce(a[j], k.m.twoP), k.mulShoup(a[h+j], w[b])
			a[j], a[h+j] = k.plus(u, v), k.minus(u, v)
		}
	}
}

// split4 is split2 of a level and of the next one.
func (k model) split4(x []uint64, h int, w, v []twiddle) {
	k.split2(x, 2*h, w)
	k.split2(x, h, v)
}

func (k model) join2(x []uint64, h int, w []twiddle) {
	for b := 0; 2*h*b < len(x); b++ {
		a := x[2*h*b:]
		for j := range h {
			u, v := a[j], a[h+j]
			a[j], a[h+j] = k.reduce(k.plus(u, v), k.m.twoP), k.mulShoup(k.minus(u, v), w[b])
		}
	}
}

func (k model) join4(x []uint64, h int, w, v []twiddle) {
	k.join2(x, h, v)
	k.join2(x, 2*h, w)
}

func (k model) radix3(x []uint64, h int, c []twiddle) {
	twoP := k.m.twoP
	for j := range h {
		s, d := k.plus(x[h+j], x[2*h+j]), k.minus(x[h+j], x[2*h+j])
		mid := k.reduce(k.plus(x[j], k.mulShoup(s, c[0])), twoP)
		e := k.mulShoup(d, c[1])
		x[j], x[h+j], x[2*h+j] = k.plus(x[j], k.reduce(s, twoP)), k.plus(mid, e), k.minus(mid, e)
	}
}

func (k model) radix5(x []uint64, h int, c []twiddle) {
	twoP := k.m.twoP
	for j := range h {
		x0, x1, x2, x3, x4 := x[j], x[h+j], x[2*h+j], x[3*h+j], x[4*h+j]
		s1, s2, d1, d2 := k.plus(x1, x4), k.plus(x2, x3), k.minus(x1, x4), k.minus(x2, x3)
		m1 := k.reduce(k.plus(k.reduce(k.plus(k.mulShoup(s1, c[0]), k.mulShoup(s2, c[1])), twoP), x0), twoP)
		m2 := k.reduce(k.plus(k.reduce(k.plus(k.mulShoup(s1, c[1]), k.mulShoup(s2, c[0])), twoP), x0), twoP)
		e1 := k.reduce(k.plus(k.mulShoup(d1, c[2]), k.mulShoup(d2, c[3])), twoP)
		e2 := k.reduce(k.minus(k.mulShoup(d1, c[3]), k.mulShoup(d2, c[2])), twoP)
		x[j] = k.plus(x0, k.reduce(k.plus(k.reduce(s1, twoP), k.reduce(s2, twoP)), twoP))
		x[h+j], x[4*h+j] = k.plus(m1, e1), k.minus(m1, e1)
		x[2*h+j], x[3*h+j] = k.plus(m2, e2), k.minus(m2, e2)
	}
}

func (k model) multiply(x, y []uint64, w []twiddle) {
	p, twoP := k.m.p, k.m.twoP
	for b := 0; lanes*b < len(x); b++ {
		var u, v, cv [lanes]uint64
		for i := range lanes {
			u[i] = k.reduce(k.reduce(x[lanes*b+i], twoP), p)
			v[i] = k.reduce(k.reduce(y[lanes*b+i], twoP), p)
			cv[i] = k.reduce(k.mulShoup(v[i], w[b/2]), p)
			if b&1 == 1 {
				cv[i] = p - cv[i]
			}
		}
		for e := range lanes {
			var h, l uint64
			for i := range lanes {
				f := v[(e-i+lanes)%lanes]
				if i > e {
					f = cv[e-i+lanes]
				}
				dh, dl := madd(u[i], f)
				h, l = h+dh, l+dl
			}
			k.in(l, 8<<52)
			h = k.in(h+l>>52, twoP)
			_, q := madd(l, k.m.pinv)
			back, same := madd(q, p)
			if same != l&mask52 {
				k.t.Fatalf("the low half of a Montgomery step: %d, want %d", same, l&mask52)
			}
			x[lanes*b+e] = k.reduce(k.in(h-back+p, 3*p), twoP)
		}
	}
}

func (k model) load(x []uint64, l *limbs, w []twiddle) {
	for i := range l.stride {
		x[i] = 0
		for j := range l.n {
			x[i] = k.reduce(k.plus(x[i], k.mulShoup(l.planes[j*l.stride+i], w[j])), k.m.twoP)
		}
	}
}

func (k model) horner(acc, x []uint64, z twiddle) {
	for g := len(x) - lanes; g >= 0; g -= lanes {
		for i := range lanes {
			acc[i] = k.reduce(k.plus(k.mulShoup(acc[i], z), x[g+i]), k.m.twoP)
		}
	}
}

// residues52 returns n numbers below bound: some of them extreme, or all the greatest one.
func residues52(rng *rand.Rand, n int, p, bound uint64, worst bool) []uint64 {
	extremes := []uint64{0, 1, p - 1, p, p + 1, 2*p - 1, 2 * p, 3 * p, bound - 1}
	x := make([]uint64, n)
	for i := range x {
		x[i] = rng.Uint64N(bound)
		if e := extremes[rng.IntN(len(extremes))]; e < bound && rng.IntN(2) == 0 {
			x[i] = e
		}
		if worst {
			x[i] = bound - 1
		}
	}
	return x
}

// TestKernelsAreTheirModels: bit by bit, at the ends of their ranges; the models check the ranges.
func TestKernelsAreTheirModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	ps := primes(maxPrimes)
	for _, u := range units() {
		if u.doubles {
			continue
		}
		for _, m := range []*prime{ps[0], ps[maxPrimes-1], checkPrime()} {
			below := map[bound]uint64{forSplit: 2 * m.twoP, forJoin: m.twoP, forHorner: m.twoP}
			c := comparison[uint64]{t, u, m, model{t, m}, slices.Clone[[]uint64], slices.Clone[[]uint64], func(n int, of bound, worst bool) []uint64 {
				return residues52(rng, n, m.p, below[of], worst)
			}}
			for round := range 6 {
				c.transforms(rng, round == 0)
				for _, pairs := range []int{1, 3} {
					c.products(c.draw(2*lanes*pairs, forSplit, round == 0), c.draw(2*lanes*pairs, forSplit, round == 0), func([]uint64) {})
				}
			}
		}
	}
}
