// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestBlocksAreTheDefinition: products modulo x^r − c, from entries at the ends of the
// lazy range to entries in [0, 2p).
func TestBlocksAreTheDefinition(t *testing.T) {
	m := primes(1)[0]
	p := new(big.Int).SetUint64(m.p)
	unit := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 64), p) // 2^−64
	rng := rand.New(rand.NewPCG(3, 5))
	extremes := []uint64{0, 1, m.p - 1, m.p, 2*m.p - 1, 2 * m.p, 4*m.p - 1}
	const blocks = 64
	w := m.roots(blocks / 2)
	for _, r := range []int{1, 3, 5} {
		fill := func() []uint64 {
			x := make([]uint64, blocks*r)
			for i := range x {
				x[i] = extremes[rng.IntN(len(extremes))]
				if rng.IntN(3) == 0 {
					x[i] = rng.Uint64N(4 * m.p)
				}
			}
			return x
		}
		worst := make([]uint64, blocks*r)
		for i := range worst {
			worst[i] = 4*m.p - 1
		}
		want := func(x, y []uint64, b, k int) *big.Int {
			c := new(big.Int).SetUint64(w[b/2].w)
			if b&1 == 1 {
				c.Neg(c)
			}
			sum := new(big.Int)
			for i := range r {
				for j := range r {
					u := new(big.Int).SetUint64(x[b*r+i])
					u.Mul(u, new(big.Int).SetUint64(y[b*r+j]))
					switch i + j {
					case k:
						sum.Add(sum, u)
					case k + r:
						sum.Add(sum, u.Mul(u, c))
					}
				}
			}
			sum.Mul(sum, unit)
			return sum.Mod(sum, p)
		}
		verify := func(name string, x, y, got []uint64) {
			for i, g := range got {
				if g >= m.twoP || g%m.p != want(x, y, i/r, i%r).Uint64() {
					t.Fatalf("r = %d, %s: entry %d = %d", r, name, i, g)
				}
			}
		}
		for range 20 {
			x, y := fill(), fill()
			got := append([]uint64(nil), x...)
			m.multiplyBlocks(got, y, r, w)
			verify("product", x, y, got)
			got = append([]uint64(nil), x...)
			m.squareBlocks(got, r, w)
			verify("square", x, x, got)
		}
		got := append([]uint64(nil), worst...)
		m.squareBlocks(got, r, w)
		verify("square", worst, worst, got)
		got = append([]uint64(nil), worst...)
		m.multiplyBlocks(got, worst, r, w)
		verify("product", worst, worst, got)
	}
}

// TestCyclicLen: the least length of the three kinds.
func TestCyclicLen(t *testing.T) {
	for n := 33; n < 5000; n++ {
		least := 1 << 20
		for k := range 13 {
			for _, r := range []int{1, 3, 5} {
				if size := r << k; size >= n {
					least = min(least, size)
				}
			}
		}
		if got := cyclicLen(n); got != least || radix(got) > maxRadix {
			t.Fatalf("cyclicLen(%d) = %d, want %d", n, got, least)
		}
	}
}
