// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

import "math"

// A unit is what computes with residues: its kernels, which take the same primes and the same tables of roots. Blocks
// are as many as x has entries for, and w has a root for each of the first.
type unit struct {
	name           string
	split2, join2  func(x []uint64, h int, w []twiddle, m *constants)
	split4, join4  func(x []uint64, h int, w, v []twiddle, m *constants)
	radix3, radix5 func(x []uint64, h int, c []twiddle, m *constants)
	multiply       func(x, y []uint64, w []twiddle, m *constants)
	load           func(x []uint64, l *limbs, w []twiddle, m *constants)
	horner         func(acc *[lanes]uint64, x []uint64, z twiddle, m *constants)
	crt            func(c *remainders, residues []uint64, stride int, out, digits []uint64, acc *[lanes]uint64)
	vectors        bool // crt takes at most maxPrimes
	doubles        bool // residues are doubles; otherwise products of blocks are times 2^−52
}

// A checkConstants is what crtifma needs of the check's prime.
type checkConstants struct {
	constants
	one, limb, limb2, z8 twiddle // 1, 2^52, 2^104 and z^8 modulo q
}

// A remainders holds what crt needs of the primes: see crt.go.
type remainders struct {
	// 1/M_i mod p_i, corrected for the factor of the residues; its quotient; 2^52 − p; ρ: or as toDoubles says
	constants [][4]uint64
	cofactors []uint64 // limbs + 1 rows of primes + 1 columns, the first one zeros
	limbs     int
	powers    []uint64 // 2^(52k) mod q
	check     checkConstants
}

// integer returns the residue x of a kernel modulo p, in [0, p).
func (u *unit) integer(x, p uint64) uint64 {
	if !u.doubles {
		return x % p
	}
	r := int64(math.Float64frombits(x)) % int64(p)
	if r < 0 {
		r += int64(p)
	}
	return uint64(r)
}

// undo returns the factor that undoes what a transform, products of blocks and the inverse
// transform of so many entries leave.
func (u *unit) undo(m *prime, size int) uint64 {
	f := m.inv(uint64(size / lanes))
	if u.doubles {
		return f
	}
	return m.mul(f, m.limb)
}

// load sets x to the entries modulo m.
func (l *limbs) load(x []uint64, m *prime, u *unit) { u.load(x, l, m.powersOf(l.n), &m.constants) }
