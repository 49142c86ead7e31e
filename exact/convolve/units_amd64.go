// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package convolve

import "golang.org/x/sys/cpu"

var (
	ifma = assembly("AVX-512 IFMA", split2ifma, join2ifma, split4ifma, join4ifma, radix3ifma, radix5ifma, multiplyifma,
		loadifma, hornerifma, crtifma, false)
	fma = assembly("AVX2", split2fma, join2fma, split4fma, join4fma, radix3fma, radix5fma, multiplyfma, loadfma,
		hornerfma, crtfma, true)
)

// vectors returns the units of this processor that compute with vectors, the best first. GODEBUG=cpu.avx512ifma=off and
// cpu.avx2=off leave out one each.
func vectors() (list []*unit) {
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512IFMA {
		list = append(list, ifma)
	}
	if x.HasAVX2 && x.HasFMA {
		list = append(list, fma)
	}
	return list
}

// Kernels of a processor take addresses, and numbers of blocks, of pairs of blocks or of groups of 8 residues.
type (
	level2 = func(x *uint64, h, blocks int, w *twiddle, m *constants)
	level4 = func(x *uint64, h, blocks int, w, v *twiddle, m *constants)
	radixN = func(x *uint64, h int, c *twiddle, m *constants)
)

// assembly returns the unit of kernels of a processor.
func assembly(name string, split2, join2 level2, split4, join4 level4, radix3, radix5 radixN,
	multiply func(x, y *uint64, pairs int, w *twiddle, m *constants),
	load func(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants),
	horner func(acc *[lanes]uint64, x *uint64, groups int, z *twiddle, m *constants), remainder func(*crtArguments),
	doubles bool) *unit {
	two := func(k level2) func(x []uint64, h int, w []twiddle, m *constants) {
		return func(x []uint64, h int, w []twiddle, m *constants) { k(&x[0], h, len(x)/(2*h), &w[0], m) }
	}
	four := func(k level4) func(x []uint64, h int, w, v []twiddle, m *constants) {
		return func(x []uint64, h int, w, v []twiddle, m *constants) { k(&x[0], h, len(x)/(4*h), &w[0], &v[0], m) }
	}
	odd := func(k radixN) func(x []uint64, h int, c []twiddle, m *constants) {
		return func(x []uint64, h int, c []twiddle, m *constants) { k(&x[0], h, &c[0], m) }
	}
	return &unit{
		name: name, split2: two(split2), join2: two(join2), split4: four(split4), join4: four(join4),
		radix3: odd(radix3), radix5: odd(radix5),
		multiply: func(x, y []uint64, w []twiddle, m *constants) { multiply(&x[0], &y[0], len(x)/(2*lanes), &w[0], m) },
		load: func(x []uint64, l *limbs, w []twiddle, m *constants) {
			load(&x[0], l.stride/lanes, &l.planes[0], l.stride, l.n, &w[0], m)
		},
		horner: func(acc *[lanes]uint64, x []uint64, z twiddle, m *constants) {
			horner(acc, &x[0], len(x)/lanes, &z, m)
		},
		crt: func(c *remainders, residues []uint64, stride int, out, digits []uint64, acc *[lanes]uint64) {
			remainder(&crtArguments{
				residues: &residues[0], stride: stride, primes: len(c.constants), groups: len(out) / c.limbs / lanes,
				constants: &c.constants[0],
				cofactors: &c.cofactors[0], limbs: c.limbs, out: &out[0], digits: &digits[0], powers: &c.powers[0],
				check: &c.check, acc: acc,
			})
		},
		vectors: true, doubles: doubles,
	}
}
