// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/least"
)

// bestTilt returns about the λ for which the greatest (E e^{λX})^n/λ is least.
func bestTilt(laws [][]atom, n int64) *big.Rat {
	log := func(x float64) float64 { // λ = e^x
		lambda, most := math.Exp(x), math.Inf(-1)
		for _, law := range laws {
			sum := 0.0
			for _, a := range law {
				sum += double.Near(a.mass) * math.Expm1(lambda*double.Near(a.at))
			}
			most = max(most, math.Log1p(sum))
		}
		return float64(n)*most - x
	}
	return double.Rat(math.Exp(least.Section(log, -math.Log(float64(n))-2, 2, 80)))
}
