// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package convolve

// The kernels of ifma_amd64.s. Vectors of residues are groups of eight, w points to the
// roots of the blocks. transform.go says what they compute.

//go:noescape
func split2ifma(x *uint64, h, blocks int, w *twiddle, m *constants)

//go:noescape
func split4ifma(x *uint64, h, blocks int, w, v *twiddle, m *constants)

//go:noescape
func join2ifma(x *uint64, h, blocks int, w *twiddle, m *constants)

//go:noescape
func join4ifma(x *uint64, h, blocks int, w, v *twiddle, m *constants)

//go:noescape
func radix3ifma(x *uint64, h int, c *twiddle, m *constants)

//go:noescape
func radix5ifma(x *uint64, h int, c *twiddle, m *constants)

//go:noescape
func multiplyifma(x, y *uint64, pairs int, w *twiddle, m *constants)

//go:noescape
func loadifma(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants)

//go:noescape
func hornerifma(acc *[lanes]uint64, x *uint64, groups int, z *twiddle, m *constants)

//go:noescape
func crtifma(a *crtArguments)

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
