// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math/cmplx"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// nearLog is next to log z, where z is known and not too small.
func nearLog(z interval.Complex) complex128 {
	return cmplx.Log(complex(double.Of(z.Re).Mid(), double.Of(z.Im).Mid()))
}
