// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A noise is what truncated and clamped noise is made of. Its density about 0 over that about t > 0 does not increase.
// Its logarithm, the loss, exceeds ε exactly on x < t/2 − cε:
//
//   - Gaussian: the loss is t(t − 2x)/2σ², and c = σ²/t.
//   - Laplace: the loss (|x − t| − |x|)/b falls from t/b to −t/b between 0 and t, and c = b/2 for −t/b ≤ ε < t/b.
//     It exceeds ε nowhere for ε ≥ t/b, and everywhere for ε < −t/b.
type noise struct {
	w     interval.Prec
	width *big.Rat
	// below and above are the distribution function of the noise of width 1, and what it leaves.
	below, above func(interval.Prec, interval.Interval) interval.Interval
	slope        *big.Rat // c
	edge         *big.Rat // t/b, nil for Gaussian noise
}

func noiseOf(w interval.Prec, n mechanism.Noise, width, shift *big.Rat) noise {
	if n == pair.GaussianNoise {
		slope := new(big.Rat).Mul(width, width)
		return noise{w, width, fixed.NormalCDF, fixed.NormalSF, slope.Quo(slope, shift), nil}
	}
	half := new(big.Rat).Mul(width, big.NewRat(1, 2))
	above := func(w interval.Prec, x interval.Interval) interval.Interval { return laplaceCDF(w, x.Neg()) }
	return noise{w, width, laplaceCDF, above, half, new(big.Rat).Quo(shift, width)}
}

func (n noise) scaled(x interval.Interval) interval.Interval { return n.w.Div(x, n.w.Rat(n.width)) }

func (n noise) cdf(x interval.Interval) interval.Interval { return n.below(n.w, n.scaled(x)) }

// crossing returns middle − cε, where middle is t/2 away from the center of the noise.
func (n noise) crossing(middle *big.Rat, eps interval.Interval) interval.Interval {
	return n.w.Sub(n.w.Rat(middle), n.w.Mul(n.w.Rat(n.slope), eps))
}
