// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Near is a number near ε(δ) of one of so many steps, from which to search: of one step alone, or of a Gaussian pair of
// the same χ² at so many times its distance, 2 if the record is replaced; but at most 2, if few steps have most of χ².
func Near(mu2 *big.Rat, steps, times int64, delta *big.Rat) (*big.Rat, bool) {
	mu, t := math.Sqrt(double.Of(interval.Prec(64).Rat(mu2)).Mid()), float64(steps)
	aim := double.Of(interval.Prec(64).Log(interval.Prec(64).Rat(delta))).Mid()
	like := float64(times) * math.Sqrt(math.Log1p(math.Expm1(mu*mu)/t))
	eps := nearGaussian(mu, aim) - math.Log(t)
	if like <= 2 || eps <= 0 && !math.IsInf(like, 1) {
		eps = max(eps, nearGaussian(like, aim))
	}
	if !(eps > 0 && eps < 1e12) {
		return nil, false
	}
	return big.NewRat(int64(eps*(1<<20)), 1<<20), true
}

// Cost is about the seconds of a first value, to so many bits, where δ is about 2^−scale.
func (m Mean) Cost(mu2 *big.Rat, bits interval.Prec, scale int, reversed bool) float64 {
	mu := math.Sqrt(double.Of(interval.Prec(64).Rat(mu2)).Mid())
	log := math.Ln2 * float64(scale)
	normal := math.Sqrt(2 * log * math.Expm1(mu*mu) / float64(m.steps)) // of the sum of many ratios
	eps := max(nearGaussian(mu, -log)-math.Log(float64(m.steps)), min(normal, 0.1))
	logK := eps
	if reversed {
		logK = -eps
	}
	return m.sum.Cost(float64(bits)+float64(scale)+24+2*eps, math.Log(float64(m.steps))+logK)
}
