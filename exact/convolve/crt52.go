// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build amd64 && !purego

package convolve

import (
	"context"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// The Chinese remainder theorem of combine.go in vectors, with the ranges of IFMA: fma52.go has the ranges of doubles. X = Σ y_i·M_i − c·M is computed in
// limbs of 52 bits, modulo 2^(52·limbs) > M > X, as Σ y_i·M_i + c·(2^(52·limbs) − M): no term is
// negative. y_i is in [0, 2p_i), as MULSHOUP gives it, in its low 52 bits: c = ⌊Σ y_i/p_i⌋ holds for any
// representatives.
//
// Up to 512 primes, p_i > 2^49. With ρ_i = ⌊2^101/p_i⌋ < 2^52, ⌊y_i·ρ_i/2^52⌋ is y_i/p_i in units of
// 2^−49, low by less than 2, so that the sum of 512 is low by less than 2^10 units, below the
// 2^45 that combine.go allows, and below 2^50·513 itself. A limb is the sum of 513 low halves, 513
// high halves and a carry: below 1027·2^52 < 2^63. So is its carry below 2^11.
//
// The value modulo the check's prime q: Σ limb_k·(2^(52k) mod q), by low and high halves, is l + h·2^52
// with l, h < 2^62; cut at 52 bits, it is l₀ + h₀·2^52 + h₁·2^104 with h₁ < 2^11, and each part goes
// through MULSHOUP.

// A crtArguments is what crtifma works on: ifma_amd64.s has the same order.
type crtArguments struct {
	residues  *uint64 // of the first prime, at the first entry
	stride    int     // from one prime to the next
	primes    int
	groups    int // of 8 entries
	constants *[4]uint64
	cofactors *uint64 // limbs + 1 rows of primes + 1 columns, the first one zeros
	limbs     int
	out       *uint64 // limbs groups of 8 words for each group of entries
	digits    *uint64 // scratch, primes + 1 groups of 8 words
	powers    *uint64 // 2^(52k) mod q
	check     *checkConstants
	acc       *[lanes]uint64
}

// A checkConstants is what crtifma needs of the check's prime.
type checkConstants struct {
	constants52
	one, limb, limb2, z8 twiddle // 1, 2^52, 2^104 and z^8 modulo q
}

// A crt52 holds the constants of the primes.
type crt52 struct {
	u         *unit
	constants [][4]uint64 // 1/M_i mod p_i, corrected for the factor of the residues; its quotient; 2^52 − p; ρ: or as toDoubles says
	cofactors []uint64
	limbs     int
	q         *prime52
	powers    []uint64
	check     checkConstants
	z         uint64
}

func newCRT52(ps []*prime52, size int, u *unit) *crt52 {
	c := &crt52{u: u, q: checkPrime52()}
	c.z = c.q.pow(c.q.root(size), rand.Uint64())
	m := big.NewInt(1)
	for _, p := range ps {
		m.Mul(m, new(big.Int).SetUint64(p.p))
	}
	c.limbs = (m.BitLen() + 51) / 52
	columns := len(ps) + 1
	c.cofactors = make([]uint64, (c.limbs+1)*columns)
	set := func(column int, x *big.Int) {
		rest := new(big.Int).Set(x)
		mask := big.NewInt(mask52)
		for k := range c.limbs {
			c.cofactors[(k+1)*columns+column] = new(big.Int).And(rest, mask).Uint64()
			rest.Rsh(rest, 52)
		}
	}
	for i, p := range ps {
		pi := new(big.Int).SetUint64(p.p)
		mi := new(big.Int).Quo(m, pi)
		set(i, mi)
		w := p.shoup52(p.mul(p.inv(new(big.Int).Mod(mi, pi).Uint64()), u.undo(p, size)))
		rho, _ := bits.Div64(1<<37, 0, p.p)
		c.constants = append(c.constants, [4]uint64{w.w, w.q, p.c.neg, rho})
	}
	set(len(ps), m.Sub(new(big.Int).Lsh(big.NewInt(1), uint(52*c.limbs)), m))
	limb := c.q.limb
	power := uint64(1)
	for range c.limbs {
		c.powers = append(c.powers, power)
		power = c.q.mul(power, limb)
	}
	c.check = checkConstants{
		c.q.c, c.q.shoup52(1), c.q.shoup52(limb), c.q.shoup52(c.q.mul(limb, limb)), c.q.shoup52(c.q.pow(c.z, lanes)),
	}
	if u.doubles {
		c.toDoubles(ps)
	}
	return c
}

// powers52 returns the twiddles of 2^(52k), k < n.
func (m *prime52) powers52(n int) []twiddle {
	ts := make([]twiddle, n)
	w := uint64(1)
	for k := range ts {
		ts[k] = m.shoup52(w)
		w = m.mul(w, m.limb)
	}
	return ts
}

// sum returns Σ acc_i·z^i mod q.
func (c *crt52) sum(acc *[lanes]uint64) uint64 {
	s := uint64(0)
	for i := lanes - 1; i >= 0; i-- {
		s = reduce(c.q.mul(s, c.z)+c.u.integer(acc[i], c.q.p), c.q.p)
	}
	return s
}

// evaluate returns Σ v_i·z^i mod q.
func (c *crt52) evaluate(v Vector, n int) uint64 {
	var acc [lanes]uint64
	chunk := loadChunk(n)
	x := make([]uint64, chunk)
	l := takeLimbs()
	defer unpacked.Put(l)
	for lo := (v.n - 1) / chunk * chunk; lo >= 0; lo -= chunk {
		l.unpack(v, lo, min(lo+chunk, v.n), n).load(x, c.q, c.u)
		c.u.horner(&acc, &x[0], l.stride/lanes, &c.check.z8, &c.q.c)
	}
	return c.sum(&acc)
}

// combine is job.combine for residues of prime52s.
func (j *job52) combine(ctx context.Context) (Vector, error) {
	c := newCRT52(j.ps, j.size, j.u)
	x := c.evaluate(j.a, j.limbs[0])
	y := x
	if !same(j.a, j.b) {
		y = c.evaluate(j.b, j.limbs[1])
	}
	out := j.room.first(j.n, j.a.prec) // from here on the memory of a and b may be lost
	j.rest = fractions(j.n, j.r)
	const chunk = 4096
	var mu sync.Mutex
	total := uint64(0) // Σ c_i·z^i mod q over the cyclic convolution
	fits := true
	err := Parallel(ctx, (j.size+chunk-1)/chunk, func(i int) {
		lo := i * chunk
		sum, ok := c.chunk(j, lo, min(lo+chunk, j.size), out)
		sum = c.q.mul(sum, c.q.pow(c.z, uint64(lo)))
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

// chunk returns Σ_{lo≤i<hi} X_i·z^(i−lo) mod q, stores the rounded entries that lie in the
// window, and reports whether they fit. lo and hi are multiples of 8.
func (c *crt52) chunk(j *job52, lo, hi int, out Vector) (sum uint64, fits bool) {
	piece := max(lanes, 2048/c.limbs/lanes*lanes)
	buffer := make([]uint64, piece*c.limbs)
	digits := make([]uint64, (len(j.ps)+1)*lanes)
	var acc [lanes]uint64
	a := crtArguments{
		stride: j.size, primes: len(j.ps), constants: &c.constants[0], cofactors: &c.cofactors[0], limbs: c.limbs,
		out: &buffer[0], digits: &digits[0], powers: &c.powers[0], check: &c.check, acc: &acc,
	}
	fits = true
	for from := lo + (hi-lo-1)/piece*piece; from >= lo; from -= piece {
		to := min(from+piece, hi)
		a.residues, a.groups = &j.slab[from], (to-from)/lanes
		c.u.crt(&a)
		for i := max(from, j.from); i < min(to, j.from+j.n); i++ {
			x := buffer[(i-from)/lanes*lanes*c.limbs+(i-from)%lanes:]
			fits = store52(out.slot(i-j.from), x, c.limbs, j.a.prec, j.r) && fits
			if j.rest != nil {
				j.rest[i-j.from] = fraction52(x, c.limbs, j.a.prec)
			}
		}
	}
	return c.sum(&acc), fits
}

// store52 writes Σ x[8k]·2^(52k)/2^prec over n limbs, rounded, to dst, and reports whether it
// fits.
func store52(dst []big.Word, x []uint64, n int, prec uint, r Rounding) bool {
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
		over := uint64(0) // what is beyond this word: 0 as long as have < 64
		for have < 64 && limb < n {
			v := x[lanes*limb]
			acc, over = acc|v<<have, v>>(64-have)
			have += 52
			limb++
		}
		dst[w] = big.Word(acc)
		acc, have = over, max(have, 64)-64
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

// fraction52 is fraction for Σ x[8k]·2^(52k) over n limbs.
func fraction52(x []uint64, n int, prec uint) uint64 {
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
