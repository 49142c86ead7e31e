// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"context"
	"math/big"
	"math/bits"
	"sync"
)

// combine puts the residues together, checks the product and rounds the entries
// of the window.
//
// Chinese remainder theorem: with M = p_0⋯p_{k−1}, M_i = M/p_i and y_i = r_i/M_i mod p_i,
// the integer X ∈ [0, M) with residues r_i is Σ y_i·M_i − c·M for the integer c =
// ⌊Σ y_i/p_i⌋, because Σ y_i/p_i = c + X/M. The primes are chosen such that X/M ≤ 4/5; so
// c is the integer part of Σ y_i/p_i + 1/8 computed with an error below 1/16.
func (j *job) combine(ctx context.Context) (Vector, error) {
	c := newCRT(j.ps, j.size)
	z := selfCheckPoint(c.q, j.size)
	x := c.q.evaluate(j.a, z)
	y := x
	if !same(j.a, j.b) {
		y = c.q.evaluate(j.b, z)
	}
	out := j.room.first(j.n, j.a.prec) // from here on the memory of a and b may be lost
	j.rest = fractions(j.n, j.r)
	const chunk = 2048
	chunks := (j.size + chunk - 1) / chunk
	var mu sync.Mutex
	total := uint64(0) // Σ c_i·z^i mod q over the cyclic convolution
	fits := true
	err := Parallel(ctx, chunks, func(i int) {
		lo := i * chunk
		sum, ok := c.chunk(j, lo, min(lo+chunk, j.size), z, out)
		sum = c.q.mul(sum, c.q.pow(z, uint64(lo)))
		mu.Lock()
		total = reduce(total+sum, c.q.p)
		fits = fits && ok
		mu.Unlock()
	})
	if err != nil {
		return Vector{}, err
	}
	if !fits || total != c.q.mul(x, y) {
		return Vector{}, ErrSelfCheck
	}
	carry(out, j.rest)
	return out, nil
}

// checkPrime is a prime that the kernel does not use: the kernel's lie between
// 2^61 and 2^62 in all practical cases, this one below 2^61.
var checkPrime = sync.OnceValue(func() *prime {
	for p := uint64(1<<61-2)/primeStep*primeStep + 1; ; p -= primeStep {
		if new(big.Int).SetUint64(p).ProbablyPrime(0) {
			return newPrime(p)
		}
	}
})

// evaluate returns Σ v_i·z^i modulo the prime.
func (m *prime) evaluate(v Vector, z uint64) uint64 {
	x := make([]uint64, v.n)
	m.load(x, v)
	t := m.shoup(z)
	acc := uint64(0)
	for i := v.n - 1; i >= 0; i-- {
		acc = mulShoup(acc, t, m.p) + x[i]
		if acc >= m.twoP {
			acc -= m.twoP
		}
	}
	return reduce(acc, m.p)
}

// A crt holds the constants of the primes for combine.
type crt struct {
	ps    []*prime
	scale []twiddle // 1/M_i mod p_i, and what undoes the factor 2^(k−64) of the residues
	recip []uint64  // ⌊2^125/p_i⌋
	words int
	cof   []uint64 // M_i, words words each
	m     []uint64 // M, words + 1 words
	q     *prime
	cofq  []twiddle // M_i mod q
	mq    twiddle   // −M mod q
}

func newCRT(ps []*prime, size int) *crt {
	k := len(ps)
	c := &crt{ps: ps, scale: make([]twiddle, k), recip: make([]uint64, k), cofq: make([]twiddle, k), q: checkPrime()}
	m := big.NewInt(1)
	for _, p := range ps {
		m.Mul(m, new(big.Int).SetUint64(p.p))
	}
	c.words = (m.BitLen() + 63) / 64
	c.m = words(m, c.words+1)
	q := new(big.Int).SetUint64(c.q.p)
	c.mq = c.q.shoup(c.q.p - new(big.Int).Mod(m, q).Uint64())
	for i, p := range ps {
		pi := new(big.Int).SetUint64(p.p)
		mi := new(big.Int).Quo(m, pi)
		c.cof = append(c.cof, words(mi, c.words)...)
		c.cofq[i] = c.q.shoup(new(big.Int).Mod(mi, q).Uint64())
		inv := p.inv(new(big.Int).Mod(mi, pi).Uint64())
		undo := p.mul(p.inv(uint64(size/radix(size))), p.power(64))
		c.scale[i] = p.shoup(p.mul(inv, undo))
		// 2^125/p < 2^64 as p > 2^61.
		r, _ := bits.Div64(1<<61, 0, p.p)
		c.recip[i] = r
	}
	return c
}

// words returns the n low words of 64 bits of x.
func words(x *big.Int, n int) []uint64 {
	out := make([]uint64, n)
	for i, w := range x.Bits() {
		out[i*wordBits/64] |= uint64(w) << (i * wordBits % 64)
	}
	return out
}

// chunk returns Σ_{lo≤i<hi} X_i·z^(i−lo) mod q, stores the rounded entries that lie in
// the window, and reports whether they fit.
//
// With ρ_i = ⌊2^125/p_i⌋, ⌊y_i·ρ_i/2^64⌋ is y_i/p_i in units of 2^−61, low by less than 2:
// y_i·2^61/p_i − y_i/2^64 − 1 < ⌊y_i·ρ_i/2^64⌋ ≤ y_i·2^61/p_i. The sum over up to 2^20
// primes is low by less than 2^21 units, far below 1/16; it may exceed a word, so it is
// kept in two.
func (c *crt) chunk(j *job, lo, hi int, z uint64, out Vector) (sum uint64, fits bool) {
	k, n := len(c.ps), c.words
	y := make([]uint64, k)
	x := make([]uint64, n+1)
	q := c.q
	zt := q.shoup(z)
	fits = true
	for i := hi - 1; i >= lo; i-- {
		frac, whole := uint64(1)<<58, uint64(0) // 1/8
		r := uint64(0)
		for l, p := range c.ps {
			v := reduce(mulShoup(j.res[l][i], c.scale[l], p.p), p.p)
			y[l] = v
			f, _ := bits.Mul64(v, c.recip[l])
			frac += f
			whole += frac >> 61
			frac &= 1<<61 - 1
			r += mulShoup(v, c.cofq[l], q.p)
			if r >= q.twoP {
				r -= q.twoP
			}
		}
		r += mulShoup(whole, c.mq, q.p)
		if r >= q.twoP {
			r -= q.twoP
		}
		sum = mulShoup(sum, zt, q.p) + r
		if sum >= q.twoP {
			sum -= q.twoP
		}
		if i < j.from || i >= j.from+j.n {
			continue
		}
		c.integer(x, y, whole)
		fits = store(out.slot(i-j.from), x, j.a.prec, j.r) && fits
		if j.rest != nil {
			j.rest[i-j.from] = fraction(x, j.a.prec)
		}
	}
	return reduce(sum, q.p), fits
}

// integer sets x to Σ y_i·M_i − whole·M. The result is below M; everything is exact
// modulo 2^(64·len(x)).
func (c *crt) integer(x, y []uint64, whole uint64) {
	clear(x)
	n := c.words
	for l, v := range y {
		var carry uint64
		for w, m := range c.cof[l*n : (l+1)*n] {
			h, low := bits.Mul64(m, v)
			var b uint64
			low, b = bits.Add64(low, carry, 0)
			h += b
			x[w], b = bits.Add64(x[w], low, 0)
			carry = h + b
		}
		x[n] += carry
	}
	var borrow, carry uint64
	for w, m := range c.m {
		h, low := bits.Mul64(m, whole)
		var b uint64
		low, b = bits.Add64(low, carry, 0)
		carry = h + b
		x[w], borrow = bits.Sub64(x[w], low, borrow)
	}
}

// store writes x/2^prec, rounded, to dst, and reports whether it fits.
func store(dst []big.Word, x []uint64, prec uint, r Rounding) bool {
	// from returns 64 bits of x from one of its bits on.
	from := func(bit uint) uint64 {
		s, shift := int(bit/64), bit%64
		y := uint64(0)
		if s < len(x) {
			y = x[s] >> shift
		}
		if shift > 0 && s+1 < len(x) {
			y |= x[s+1] << (64 - shift)
		}
		return y
	}
	skip, shift := int(prec)/64, prec%64
	inexact := uint64(0)
	for w := 0; w < skip && w < len(x); w++ {
		inexact |= x[w]
	}
	if skip < len(x) && shift > 0 {
		inexact |= x[skip] << (64 - shift)
	}
	bit := prec
	for w := range dst {
		dst[w] = big.Word(from(bit))
		bit += wordBits
	}
	for ; bit < uint(64*len(x)); bit += 64 {
		if from(bit) != 0 {
			return false
		}
	}
	if r == Up && inexact != 0 {
		for w := range dst {
			if dst[w]++; dst[w] != 0 {
				return true
			}
		}
		return false
	}
	return true
}
