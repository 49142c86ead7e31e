// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math"

	"dpverify/exact/double"
)

// jump returns an ε at which δ is about e^logDelta, where one large loss among small ones is what exceeds ε: the others are normal, about,
// and δ is the sum over the large ones, those above ε/4,
//
//	δ(ε) ≈ G(ε) + Σ count·P(L = l)·G(ε − l),  G(e) = E[(1 − e^{e−Z})₊],  Z normal.
//
// So it is with few steps that are sampled rarely: moments of a heavy tail say little of it. It reports false where
// several large losses matter, or none.
func (b bulk) jump(logDelta float64) (eps float64, ok bool) {
	at := func(eps float64) (small, large, often float64) {
		mean, variance := 0.0, 0.0
		for _, t := range b {
			m1, m2 := 0.0, 0.0
			for k, l := range t.losses {
				if l <= eps/4 {
					m1 += t.weights[k] * l
					m2 += t.weights[k] * l * l
				} else {
					often += t.count * t.weights[k]
				}
			}
			mean += t.count * m1
			variance += t.count * max(m2-m1*m1, 0)
		}
		s := math.Sqrt(variance) + 1e-300
		excess := func(e float64) float64 {
			y := normalTail((e - mean) / s)
			return y - double.Exp64(min(e-mean+variance/2, 700))*normalTail((e-mean+variance)/s)
		}
		for _, t := range b {
			for k, l := range t.losses {
				if l > eps/4 {
					large += t.count * t.weights[k] * excess(eps-l)
				}
			}
		}
		return excess(eps), large, often
	}
	lo, hi := -40.0, 6.0 // of log2 ε
	for range 24 {
		mid := (lo + hi) / 2
		small, large, _ := at(math.Exp2(mid))
		if small+large > double.Exp64(logDelta) {
			lo = mid
		} else {
			hi = mid
		}
	}
	eps = math.Exp2(hi)
	small, large, often := at(eps)
	const few = 1. / 8
	return eps, hi < 6 && large > 16*small && often < few
}

// normalTail is P(Z > z).
func normalTail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
