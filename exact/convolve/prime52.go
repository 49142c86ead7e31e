// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build amd64 && !purego

package convolve

import (
	"math/big"
	"math/bits"
	"sync"
)

// A prime52 is a prime p < 2^50, p ≡ 1 mod 15·2^24, with what the vector kernels need.
// Twiddles have quotients ⌊w·2^52/p⌋ here.
type prime52 struct {
	*prime
	c    constants52
	limb uint64 // 2^52 mod p

	mu     sync.Mutex
	tables [maxRadix + 1]rootTables // by radix
}

// A constants52 is what a kernel needs of p: ifma_amd64.s has the same order.
type constants52 struct {
	p, twoP uint64
	neg     uint64 // 2^52 − p
	inv     uint64 // p^−1 mod 2^52
}

const mask52 = 1<<52 - 1

// rootTables are roots of unity for the blocks of a transform of length r·2^k: with ω of
// order r, down[e][b] = ω^e·W[b] for W of ntt.go, and up[e][b] = 1/down[e][b].
type rootTables struct {
	down, up [][]twiddle
	c, cInv  []twiddle // for radix3ifma and radix5ifma: of ω and of 1/ω
}

// longTable is the number of bytes from which on a table is not kept beside the tables of other radices.
const longTable = 1 << 20

// shoup52 returns the twiddle of w < p.
func (m *prime52) shoup52(w uint64) twiddle {
	q, _ := bits.Div64(w>>12, w<<52, m.p)
	return twiddle{w, q}
}

// roots52 returns the tables of radix r for n blocks at least.
func (m *prime52) roots52(r, n int) *rootTables {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := &m.tables[r]
	if len(t.down) > 0 && len(t.down[0]) >= n {
		return &rootTables{t.down, t.up, t.c, t.cInv}
	}
	size := 1 << bits.Len(uint(max(n, 2)-1))
	w := make([]uint64, size)
	w[0] = 1
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
		down[0], up[0] = m.shoup52(f), m.shoup52(m.mul(g, 1))
		for b := 1; b < size; b++ {
			down[b] = m.shoup52(m.mul(f, w[b]))
			// 1/W[b] = −W[b′]: see invRoot in ntt.go.
			k := bits.Len(uint(b)) - 1
			up[b] = m.shoup52(m.p - m.mul(g, w[3<<k-1-b]))
		}
		fresh.down[e], fresh.up[e] = down, up
	}
	fresh.c, fresh.cInv = m.radixConstants(r, omega), m.radixConstants(r, m.inv(omega))
	*t = fresh
	return &fresh
}

// radixConstants returns (ω + ω^−1)/2, (ω − ω^−1)/2 for r = 3, and both for ω and for
// ω², sums first, for r = 5.
func (m *prime52) radixConstants(r int, omega uint64) []twiddle {
	half := (m.p + 1) / 2
	var sums, differences []twiddle
	for i := 1; 2*i < r; i++ {
		x := m.pow(omega, uint64(i))
		y := m.inv(x)
		sums = append(sums, m.shoup52(m.mul(half, reduce(x+y, m.p))))
		differences = append(differences, m.shoup52(m.mul(half, reduce(x+m.p-y, m.p))))
	}
	return append(sums, differences...)
}

func newPrime52(p uint64) *prime52 {
	m := newPrime(p)
	return &prime52{prime: m, c: constants52{p, 2 * p, 1<<52 - p, m.pinv & mask52}, limb: m.power(52)}
}

// maxPrimes52 is the number of primes up to which the kernels' sums fit a word.
const maxPrimes52 = 512

var primeTable52 struct {
	sync.Mutex
	list []*prime52
	next uint64
}

// primes52 returns the first k primes in falling order from 2^50: more than maxPrimes52
// of them exceed 2^49.
func primes52(k int) []*prime52 {
	t := &primeTable52
	t.Lock()
	defer t.Unlock()
	if t.next == 0 {
		t.next = (1<<50-2)/primeStep*primeStep + 1
	}
	for len(t.list) < k {
		for !new(big.Int).SetUint64(t.next).ProbablyPrime(0) { // exact below 2^64
			t.next -= primeStep
		}
		t.list = append(t.list, newPrime52(t.next))
		t.next -= primeStep
	}
	return t.list[:k:k]
}

// checkPrime52 is a prime below 2^49, which no product uses.
var checkPrime52 = sync.OnceValue(func() *prime52 {
	for p := uint64(1<<49-2)/primeStep*primeStep + 1; ; p -= primeStep {
		if new(big.Int).SetUint64(p).ProbablyPrime(0) {
			return newPrime52(p)
		}
	}
})

// enough52 returns primes whose product exceeds the limit by a quarter and more, or none if
// there are more than maxPrimes52 of them.
func enough52(limit *big.Int) []*prime52 {
	limit = new(big.Int).Add(limit, new(big.Int).Rsh(limit, 2))
	if limit.BitLen() > 49*maxPrimes52 {
		return nil
	}
	prod := big.NewInt(1)
	for k := 1; ; k++ {
		ps := primes52(k)
		if prod.Mul(prod, new(big.Int).SetUint64(ps[k-1].p)); prod.Cmp(limit) > 0 {
			return ps
		}
	}
}
