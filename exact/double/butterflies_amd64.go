// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package double

import "golang.org/x/sys/cpu"

// vectors says that this processor computes with vectors. GODEBUG=cpu.avx2=off leaves them out.
var vectors = cpu.X86.HasAVX2

// The kernels of butterflies_amd64.s: of n numbers, h and n multiples of 4. They round as split, join and Products do.

//go:noescape
func splitVectors(x, roots *complex128, h, n int)

//go:noescape
func joinVectors(x, roots *complex128, h, n int)

//go:noescape
func multiplyVectors(z, x, y *complex128, n int)
