// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package convolve

// The kernels of fma_amd64.s take what the kernels of ifma_amd64.s take. doubles.go says what they compute.

//go:noescape
func split2fma(x *uint64, h, blocks int, w *twiddle, m *constants)

//go:noescape
func split4fma(x *uint64, h, blocks int, w, v *twiddle, m *constants)

//go:noescape
func join2fma(x *uint64, h, blocks int, w *twiddle, m *constants)

//go:noescape
func join4fma(x *uint64, h, blocks int, w, v *twiddle, m *constants)

//go:noescape
func radix3fma(x *uint64, h int, c *twiddle, m *constants)

//go:noescape
func radix5fma(x *uint64, h int, c *twiddle, m *constants)

//go:noescape
func multiplyfma(x, y *uint64, pairs int, w *twiddle, m *constants)

//go:noescape
func loadfma(x *uint64, groups int, limbs *uint64, stride, n int, w *twiddle, m *constants)

//go:noescape
func hornerfma(acc *[lanes]uint64, x *uint64, groups int, z *twiddle, m *constants)

//go:noescape
func crtfma(a *crtArguments)
