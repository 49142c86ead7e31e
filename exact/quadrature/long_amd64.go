// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !purego

package quadrature

import "golang.org/x/sys/cpu"

// vectors says that this processor multiplies vectors of limbs. GODEBUG=cpu.avx512ifma=off leaves them out.
var vectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512IFMA

// stepVectors is longSums.words for all lanes and 1 ≤ size ≤ mostInVectors. It is in long_amd64.s.
//
//go:noescape
func stepVectors(acc, sum, now, next, c, flip *uint64, size int)
