// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// logFinite encloses log P(L < ∞).
func logFinite(p interval.Prec, x pair.Pair) (interval.Interval, bool) {
	if m, ok := pair.InfMass(pair.Product{{Pair: x, Count: 1}}); ok {
		if m.Cmp(ratOne) == 0 {
			return interval.Interval{}, false
		}
		return p.Log1p(p.Rat(m).Neg()), true
	}
	switch y := x.(type) {
	case pair.TruncatedGaussian: // what lies left of s − r has no mass under Q
		s, r := new(big.Rat).Quo(y.Sensitivity, y.Sigma), new(big.Rat).Quo(y.Radius, y.Sigma)
		return p.Sub(p.Log(between(p, new(big.Rat).Sub(s, r), r)), p.Log(between(p, new(big.Rat).Neg(r), r))), true
	case pair.TruncatedLaplace:
		return truncatedLaplace(y)(p, ratOne), true // M(1): no tilt at all
	}
	return interval.Interval{}, false
}
