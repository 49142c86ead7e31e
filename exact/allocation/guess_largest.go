// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/big"
	"math/bits"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// largeRatio is the log y for which the bound from above seems to be the least; it reports false where none is of use.
func largeRatio(mu2 *big.Rat, steps int64, eps float64) (*big.Rat, bool) {
	mu, others := math.Sqrt(double.Of(interval.Prec(64).Rat(mu2)).Mid()), float64(steps-1)
	logK := eps + math.Log(float64(steps))
	if !(logK > 0) || logK > 1e12 || steps < 2 {
		return nil, false
	}
	best, least := 0.0, math.Inf(1)
	for i := range 200 {
		u := (logK - math.Log(others)) * float64(i) / 200
		// What the others take from K, and what two large ratios give.
		cost := math.Log(others) + u + logNormalTail(logK/mu+mu/2)
		two := 2*math.Log(others) - math.Ln2 + logNormalTail(u/mu-mu/2) + logNormalTail(u/mu+mu/2)
		if cost = max(cost, two); cost < least {
			best, least = u, cost
		}
	}
	return big.NewRat(int64(best*1024), 1024), !math.IsInf(least, 1)
}

// logNormalTail is about log P(N > x).
func logNormalTail(x float64) float64 {
	if x < 20 {
		return math.Log(math.Erfc(x/math.Sqrt2) / 2)
	}
	return -x*x/2 - math.Log(x*math.Sqrt(2*math.Pi))
}

// nearGaussian is about the ε for which δ is e^aim, of a Gaussian pair at distance μ.
func nearGaussian(mu, aim float64) float64 {
	z, _ := least.Halved(-40, 40, 60, func(z float64) bool { // (ε − μ²/2)/μ
		// Φ(−z) − e^ε·Φ(−z − μ), the second of which is a share of the first.
		share := math.Exp(mu*mu/2 + mu*z + logNormalTail(z+mu) - logNormalTail(z))
		return logNormalTail(z)+math.Log1p(-min(share, 1-1e-12)) > aim
	})
	return mu*mu/2 + mu*z
}

// GridCost is about the seconds that laws on grids of so many points take: all pairs of points for each sum of blocks.
func GridCost(points int, steps int64) float64 {
	sums := bits.Len64(uint64(steps)) + bits.OnesCount64(uint64(steps)) - 2
	return 0.3 + 1.3e-8*float64(points)*float64(points)*float64(sums)
}
