// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package thinning

import (
	"math/cmplx"

	"dpverify/exact/double"
)

// About is near −log g at z.
func (g Law) About(z complex128) complex128 {
	if !g.Thins() {
		return 0
	}
	const most = 600
	turn := complex(g.Rate(), 0) * z
	turn = complex(max(min(real(turn), most), -most), imag(turn))
	sum := cmplx.Exp(turn)
	if g.left {
		sum += cmplx.Exp(-turn)
	}
	return complex(double.Of(g.scale).Mid(), 0) * sum
}
