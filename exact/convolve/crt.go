// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
)

// Chinese remainder theorem: with M = p_0⋯p_{k−1}, M_i = M/p_i and y_i = r_i/M_i mod p_i,
// the integer X ∈ [0, M) with residues r_i is Σ y_i·M_i − c·M for the integer c =
// ⌊Σ y_i/p_i⌋, because Σ y_i/p_i = c + X/M. The primes are chosen such that X/M ≤ 4/5; so
// c is the integer part of Σ y_i/p_i + 1/8 computed with an error below 1/16.
//
// With the ranges of words and of IFMA: doubles.go has the ranges of doubles. X is computed in
// limbs of 52 bits, modulo 2^(52·limbs) > M > X, as Σ y_i·M_i + c·(2^(52·limbs) − M): no term is
// negative. y_i is in [0, 2p_i), as MULSHOUP gives it, in its low 52 bits: c = ⌊Σ y_i/p_i⌋ holds for any
// representatives.
//
// p_i > 2^49. With ρ_i = ⌊2^101/p_i⌋ < 2^52, ⌊y_i·ρ_i/2^52⌋ is y_i/p_i in units of
// 2^−49, low by less than 2, so that the sum of up to 2^20 is low by less than 2^21 units, below the
// 2^45 that 1/16 is. IFMA takes 512 primes at most: the sum is below 2^50·513. A limb is the sum of 513 low halves, 513
// high halves and a carry: below 1027·2^52 < 2^63. So is its carry below 2^11.
//
// The value modulo the check's prime q: Σ limb_k·(2^(52k) mod q), by low and high halves, is l + h·2^52
// with l, h < 2^62; cut at 52 bits, it is l₀ + h₀·2^52 + h₁·2^104 with h₁ < 2^11, and each part goes
// through MULSHOUP.

// A crt is the theorem for some primes, and a random N-th root of unity z modulo the check's prime, at
// which cyclic convolution is multiplication.
type crt struct {
	remainders
	u *unit
	q *prime
	z uint64
}

func newCRT(ps []*prime, size int, u *unit) *crt {
	c := &crt{u: u, q: checkPrime()}
	c.z = c.q.pow(c.q.root(size), rand.Uint64())
	m := big.NewInt(1)
	for _, p := range ps {
		m.Mul(m, new(big.Int).SetUint64(p.p))
	}
	c.limbs = (m.BitLen() + 51) / 52
	columns := len(ps) + 1
	c.cofactors = make([]uint64, (c.limbs+1)*columns)
	set := func(column int, x *big.Int) {
		for k := range c.limbs {
			c.cofactors[(k+1)*columns+column] = limbAt(x.Bits(), k)
		}
	}
	for i, p := range ps {
		pi := new(big.Int).SetUint64(p.p)
		mi := new(big.Int).Quo(m, pi)
		set(i, mi)
		w := p.shoup(p.mul(p.inv(new(big.Int).Mod(mi, pi).Uint64()), u.undo(p, size)))
		rho, _ := bits.Div64(1<<37, 0, p.p)
		c.constants = append(c.constants, [4]uint64{w.w, w.q, p.neg, rho})
	}
	set(len(ps), m.Sub(new(big.Int).Lsh(big.NewInt(1), uint(52*c.limbs)), m))
	limb := c.q.limb
	power := uint64(1)
	for range c.limbs {
		c.powers = append(c.powers, power)
		power = c.q.mul(power, limb)
	}
	c.check = checkConstants{
		c.q.constants, c.q.shoup(1), c.q.shoup(limb), c.q.shoup(c.q.mul(limb, limb)), c.q.shoup(c.q.pow(c.z, lanes)),
	}
	if u.doubles {
		c.toDoubles(ps)
	}
	return c
}

// sum returns Σ acc_i·z^i mod q.
func (c *crt) sum(acc *[lanes]uint64) uint64 {
	s := uint64(0)
	for i := lanes - 1; i >= 0; i-- {
		s = reduce(c.q.mul(s, c.z)+c.u.integer(acc[i], c.q.p), c.q.p)
	}
	return s
}

// evaluate returns Σ v_i·z^i mod q.
func (c *crt) evaluate(v Vector, n int) uint64 {
	var acc [lanes]uint64
	chunk := loadChunk(n)
	x := make([]uint64, chunk)
	l := takeLimbs()
	defer unpacked.Put(l)
	for lo := (v.n - 1) / chunk * chunk; lo >= 0; lo -= chunk {
		l.unpack(v, lo, min(lo+chunk, v.n), n).load(x, c.q, c.u)
		c.u.horner(&acc, x[:l.stride], c.check.z8, &c.q.constants)
	}
	return c.sum(&acc)
}

// store writes Σ x[8k]·2^(52k)/2^prec over n limbs, rounded, to dst, and reports whether it
// fits.
func store(dst []big.Word, x []uint64, n int, prec uint, r Rounding) bool {
	limb, shift := int(prec/52), prec%52
	inexact := uint64(0)
	for k := range min(limb, n) {
		inexact |= x[lanes*k]
	}
	acc, have := uint64(0), uint(0) // bits that are not yet in dst
	if limb < n {
		inexact |= x[lanes*limb] & (1<<shift - 1)
		acc, have = x[lanes*limb]>>shift, 52-shift
		limb++
	}
	for w := range dst {
		over := uint64(0) // what is beyond 64 bits: 0 as long as have < 64
		for have < wordBits && limb < n {
			v := x[lanes*limb]
			acc, over = acc|v<<have, v>>(64-have)
			have += 52
			limb++
		}
		dst[w] = big.Word(acc)
		acc, have = acc>>(wordBits/2)>>(wordBits/2)|over<<(64-wordBits), max(have, wordBits)-wordBits
	}
	rest := acc
	for ; limb < n; limb++ {
		rest |= x[lanes*limb]
	}
	if rest != 0 {
		return false
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

// fraction returns the 64 bits of x = Σ x[8k]·2^(52k) over n limbs below bit prec: ⌊(x mod 2^prec)·2^(64−prec)⌋.
func fraction(x []uint64, n int, prec uint) uint64 {
	f := uint64(0)
	for k := range min(int(prec)/52+1, n) {
		switch s := 52*k + 64 - int(prec); {
		case s >= 0:
			f |= x[lanes*k] << s // 0 from 64 on
		case s > -52:
			f |= x[lanes*k] >> -s
		}
	}
	return f
}
