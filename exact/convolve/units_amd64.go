// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package convolve

import (
	"math"

	"golang.org/x/sys/cpu"
)

// A unit is a part of the processor that computes with vectors of residues: its kernels, all of
// which take the same primes and the same tables of roots.
type unit struct {
	name           string
	split2, join2  func(x *uint64, h, blocks int, w *twiddle, m *constants52)
	split4, join4  func(x *uint64, h, blocks int, w, v *twiddle, m *constants52)
	radix3, radix5 func(x *uint64, h int, c *twiddle, m *constants52)
	multiply       func(x, y *uint64, pairs int, w *twiddle, m *constants52)
	load           func(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants52)
	horner         func(acc *[lanes]uint64, x *uint64, groups int, z *twiddle, m *constants52)
	crt            func(a *crtArguments)
	doubles        bool // residues are doubles; otherwise products of blocks are times 2^−52
}

var ifma = &unit{"AVX-512 IFMA", split2ifma, join2ifma, split4ifma, join4ifma, radix3ifma, radix5ifma, multiplyifma, loadifma, hornerifma, crtifma, false}

var fma = &unit{"AVX2", split2fma, join2fma, split4fma, join4fma, radix3fma, radix5fma, multiplyfma, loadfma, hornerfma, crtfma, true}

// units returns what this processor has, the best first. GODEBUG=cpu.avx512ifma=off and
// cpu.avx2=off leave out one each.
func units() (list []*unit) {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512IFMA {
		list = append(list, ifma)
	}
	if x.HasAVX2 && x.HasFMA {
		list = append(list, fma)
	}
	return list
}

// vectorUnit computes all products that are long enough, or none if it is nil.
var vectorUnit = best()

func best() *unit {
	if list := units(); len(list) > 0 {
		return list[0]
	}
	return nil
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
func (u *unit) undo(m *prime52, size int) uint64 {
	f := m.inv(uint64(size / lanes))
	if u.doubles {
		return f
	}
	return m.mul(f, m.limb)
}
