// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/bits"
	"sync"
)

// A prime p < 2^62 with p ≡ 1 mod 15·2^24 and the constants of arithmetic modulo p. It
// has roots of unity of every order r·2^k, r | 15, k ≤ 24. 4p fits a word.
type prime struct {
	p, twoP uint64
	pinv    uint64 // p^−1 mod 2^64
	gen     uint64 // of order 15·2^24

	mu sync.Mutex
	w  []twiddle // roots in bit-reversed order, see ntt.go; grows, never changes
}

const (
	maxLog    = 24
	primeStep = 15 << maxLog
)

// A twiddle is a constant factor with its Shoup quotient ⌊w·2^64/p⌋.
type twiddle struct{ w, q uint64 }

// shoup returns the twiddle of w < p.
func (m *prime) shoup(w uint64) twiddle {
	q, _ := bits.Div64(w, 0, m.p)
	return twiddle{w, q}
}

// mulShoup returns a number in [0, 2p) congruent to x·t.w, for any x < 2^64.
//
// With w′ = ⌊w·2^64/p⌋ and q = ⌊x·w′/2^64⌋: 0 ≤ xw/p − q < x/2^64 + 1 < 2, hence 0 ≤ xw − qp <
// 2p < 2^64, which the low words give exactly.
func mulShoup(x uint64, t twiddle, p uint64) uint64 {
	q, _ := bits.Mul64(x, t.q)
	return x*t.w - q*p
}

// mul returns x·y mod p for x, y < p.
func (m *prime) mul(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	_, r := bits.Div64(hi, lo, m.p)
	return r
}

// redc returns a number in [0, 2p) congruent to (hi·2^64 + lo)·2^−64, for hi < p
// (Montgomery): with k = lo·p^−1 mod 2^64, k·p has the low word lo, and hi − ⌊kp/2^64⌋ ∈
// (−p, p).
func (m *prime) redc(hi, lo uint64) uint64 {
	k, _ := bits.Mul64(lo*m.pinv, m.p)
	return hi - k + m.p
}

func (m *prime) pow(x, e uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = m.mul(r, x)
		}
		x = m.mul(x, x)
	}
	return r
}

func (m *prime) inv(x uint64) uint64 { return m.pow(x, m.p-2) }

// root returns an element of order n, a divisor of 15·2^maxLog.
func (m *prime) root(n int) uint64 { return m.pow(m.gen, uint64(primeStep)/uint64(n)) }

var primeTable struct {
	sync.Mutex
	list []*prime
	next uint64
}

// primes returns the first k primes in falling order from 2^62. There are
// thousands; precision 2^18 needs about 8500.
func primes(k int) []*prime {
	t := &primeTable
	t.Lock()
	defer t.Unlock()
	if t.next == 0 {
		t.next = (1<<62-2)/primeStep*primeStep + 1
	}
	for len(t.list) < k {
		// ProbablyPrime(0) is exact below 2^64.
		for !new(big.Int).SetUint64(t.next).ProbablyPrime(0) {
			t.next -= primeStep
		}
		t.list = append(t.list, newPrime(t.next))
		t.next -= primeStep
	}
	return t.list[:k:k]
}

func newPrime(p uint64) *prime {
	m := &prime{p: p, twoP: 2 * p}
	// Newton's iteration doubles the bits of the inverse: p·p ≡ 1 mod 8.
	m.pinv = p
	for range 5 {
		m.pinv *= 2 - p*m.pinv
	}
	// x^((p−1)/(15·2^24)) has an order dividing 15·2^24; it is the full one unless the
	// power of half, a third or a fifth of that is 1.
	for x := uint64(2); ; x++ {
		g := m.pow(x, (p-1)/primeStep)
		if m.pow(g, primeStep/2) != 1 && m.pow(g, primeStep/3) != 1 && m.pow(g, primeStep/5) != 1 {
			m.gen = g
			return m
		}
	}
}
