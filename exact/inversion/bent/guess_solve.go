// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bent

import (
	"math"

	"dpverify/exact/double"
)

// solve is about the u at which c + κ(u − e^{−u}·cos) is x: X on the line whose cosine is cos.
//
// u − e^{−u}·cos is concave, so that Newton's method comes from the left after its first step.
func solve(x, center, scale, cos float64) float64 {
	y := (x - center) / scale
	u := y
	if y < 1 {
		u = -double.Log64(2 - y)
	}
	const most = 40
	for range most {
		e := cos * double.Exp64(-u)
		by := (y - u + e) / (1 + e)
		u += by
		if math.Abs(by) < 0x1p-30 {
			break
		}
	}
	return u
}
