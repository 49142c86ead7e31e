// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/bits"
	"sync"
)

// A prime p < 2^50 with p ≡ 1 mod 15·2^24 and the constants of arithmetic modulo p. It
// has roots of unity of every order r·2^k, r | 15, k ≤ 24.
type prime struct {
	constants
	gen  uint64 // of order 15·2^24
	limb uint64 // 2^52 mod p

	mu     sync.Mutex
	tables [maxRadix + 1]rootTables // by radix
}

// A constants is what a kernel needs of p: ifma_amd64.s has the same order.
type constants struct {
	p, twoP uint64
	neg     uint64 // 2^52 − p
	pinv    uint64 // p^−1 mod 2^52
}

const (
	maxLog    = 24
	primeStep = 15 << maxLog
	mask52    = 1<<52 - 1
)

// A twiddle is a constant factor with its Shoup quotient ⌊w·2^52/p⌋.
type twiddle struct{ w, q uint64 }

// shoup returns the twiddle of w < p.
func (m *prime) shoup(w uint64) twiddle {
	q, _ := bits.Div64(w>>12, w<<52, m.p)
	return twiddle{w, q}
}

// reduce brings x < 2p below p.
func reduce(x, p uint64) uint64 {
	if x >= p {
		x -= p
	}
	return x
}

// mul returns x·y mod p for x, y < p.
func (m *prime) mul(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	_, r := bits.Div64(hi, lo, m.p)
	return r
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

func newPrime(p uint64) *prime {
	pinv := p // Newton's iteration doubles the bits of the inverse: p·p ≡ 1 mod 8
	for range 5 {
		pinv *= 2 - p*pinv
	}
	m := &prime{constants: constants{p, 2 * p, 1<<52 - p, pinv & mask52}}
	m.limb = m.pow(2, 52)
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

var primeTable struct {
	sync.Mutex
	list []*prime
	next uint64
}

// primes returns the first k primes in falling order from 2^50: about 240,000 of them exceed 2^49, and precision 2^18
// needs 11,000.
func primes(k int) []*prime {
	t := &primeTable
	t.Lock()
	defer t.Unlock()
	if t.next == 0 {
		t.next = (1<<50-2)/primeStep*primeStep + 1
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

// checkPrime is a prime below 2^49, which no product uses.
var checkPrime = sync.OnceValue(func() *prime {
	for p := uint64(1<<49-2)/primeStep*primeStep + 1; ; p -= primeStep {
		if new(big.Int).SetUint64(p).ProbablyPrime(0) {
			return newPrime(p)
		}
	}
})

// enough returns primes whose product exceeds the limit by a quarter and more.
func enough(limit *big.Int) []*prime {
	limit = new(big.Int).Add(limit, new(big.Int).Rsh(limit, 2))
	prod := big.NewInt(1)
	for k := 1; ; k++ {
		ps := primes(k)
		if prod.Mul(prod, new(big.Int).SetUint64(ps[k-1].p)); prod.Cmp(limit) > 0 {
			return ps
		}
	}
}

// maxRadix is the largest r.
const maxRadix = 5

// rootTables are roots of unity for the blocks of a transform of length r·2^k: with ω of
// order r, down[e][b] = ω^e·W[b] for W of transform.go, and up[e][b] = 1/down[e][b].
type rootTables struct {
	down, up [][]twiddle
	c, cInv  []twiddle // for radix3 and radix5: of ω and of 1/ω
}

// longTable is the number of bytes from which on a table is not kept beside the tables of other radices.
const longTable = 1 << 20

// roots returns the tables of radix r for n blocks at least.
func (m *prime) roots(r, n int) *rootTables {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &m.tables[r]
	if len(t.down) > 0 && len(t.down[0]) >= n {
		return &rootTables{t.down, t.up, t.c, t.cInv}
	}
	size := 1 << bits.Len(uint(max(n, 2)-1))
	w := make([]uint64, size)
	w[0] = 1
	// W[2^k + j] = W[2^k]·W[j] for j < 2^k, and W[2^k] has order 2^(k+2).
	for k := 0; 1<<k < size; k++ {
		root := m.root(4 << k)
		for j := range 1 << k {
			w[1<<k+j] = m.mul(w[j], root)
		}
	}
	if 16*size*r >= longTable {
		for i := range m.tables { // long products of other radices make theirs again
			if x := m.tables[i].down; i != r && len(x) > 0 && 16*len(x[0])*i >= longTable {
				m.tables[i] = rootTables{}
			}
		}
	}
	omega := m.root(r)
	fresh := rootTables{down: make([][]twiddle, r), up: make([][]twiddle, r)}
	for e := range r {
		down, up := make([]twiddle, size), make([]twiddle, size)
		f, g := m.pow(omega, uint64(e)), m.pow(omega, uint64(r-e))
		down[0], up[0] = m.shoup(f), m.shoup(m.mul(g, 1))
		for b := 1; b < size; b++ {
			down[b] = m.shoup(m.mul(f, w[b]))
			// In the level of b ∈ [2^k, 2^(k+1)), exponents e(b) and e(b′), b′ = 3·2^k − 1 − b, add up to half a
			// turn, so 1/W[b] = −W[b′].
			k := bits.Len(uint(b)) - 1
			up[b] = m.shoup(m.p - m.mul(g, w[3<<k-1-b]))
		}
		fresh.down[e], fresh.up[e] = down, up
	}
	fresh.c, fresh.cInv = m.radixConstants(r, omega), m.radixConstants(r, m.inv(omega))
	*t = fresh
	return &fresh
}

// radixConstants returns (ω + ω^−1)/2, (ω − ω^−1)/2 for r = 3, and both for ω and for
// ω², sums first, for r = 5.
func (m *prime) radixConstants(r int, omega uint64) []twiddle {
	half := (m.p + 1) / 2
	var sums, differences []twiddle
	for i := 1; 2*i < r; i++ {
		x := m.pow(omega, uint64(i))
		y := m.inv(x)
		sums = append(sums, m.shoup(m.mul(half, reduce(x+y, m.p))))
		differences = append(differences, m.shoup(m.mul(half, reduce(x+m.p-y, m.p))))
	}
	return append(sums, differences...)
}

// powersOf returns the twiddles of 2^(52k), k < n.
func (m *prime) powersOf(n int) []twiddle {
	ts := make([]twiddle, n)
	w := uint64(1)
	for k := range ts {
		ts[k] = m.shoup(w)
		w = m.mul(w, m.limb)
	}
	return ts
}
