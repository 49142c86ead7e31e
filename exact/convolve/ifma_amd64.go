// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package convolve

// The kernels of ifma_amd64.s. Vectors of residues are groups of eight, w points to the
// roots of the blocks. residues52.go says what they compute.

//go:noescape
func split2ifma(x *uint64, h, blocks int, w *twiddle, m *constants52)

//go:noescape
func split4ifma(x *uint64, h, blocks int, w, v *twiddle, m *constants52)

//go:noescape
func join2ifma(x *uint64, h, blocks int, w *twiddle, m *constants52)

//go:noescape
func join4ifma(x *uint64, h, blocks int, w, v *twiddle, m *constants52)

//go:noescape
func radix3ifma(x *uint64, h int, c *twiddle, m *constants52)

//go:noescape
func radix5ifma(x *uint64, h int, c *twiddle, m *constants52)

//go:noescape
func multiplyifma(x, y *uint64, pairs int, w *twiddle, m *constants52)

//go:noescape
func loadifma(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants52)

//go:noescape
func hornerifma(acc *[lanes]uint64, x *uint64, groups int, z *twiddle, m *constants52)

//go:noescape
func crtifma(a *crtArguments)
