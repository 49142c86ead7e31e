// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package double

// The kernels of waves_amd64.s: of n waves, a multiple of Lanes. They round as the loops of move and crossed do.

//go:noescape
func moveVectors(out *[2]float64, weights, turnRe, turnIm, x, y, re, im *float64, n int)

//go:noescape
func crossVectors(out *[8]float64, re, im, cos0, sin0, cos1, sin1 *float64, n int)
