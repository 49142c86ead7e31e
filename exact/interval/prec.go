// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

const (
	// MinPrec is the smallest supported precision in bits.
	MinPrec = 2
	// MaxPrec is the largest supported precision in bits. Kernels use a few
	// hundred guard bits on top of it.
	MaxPrec = 1 << 18
	// MaxExp bounds the magnitude of the binary exponents of finite nonzero
	// endpoints x = m·2^e, 1/2 ≤ |m| < 1. It leaves room for exp(−10^8), and the
	// product or quotient of two such numbers is far inside big.Float's range.
	MaxExp = 1 << 29
)

// Prec is a working precision in bits, MinPrec ≤ Prec ≤ MaxPrec.
type Prec uint

var zeroFloat = new(big.Float)
