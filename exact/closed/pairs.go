// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"dpverify/exact/pair"
)

// PairTails returns the tails of a pair with a continuous loss, and reports false
// for pairs without such a form.
//
// They are computed in three words where these are as good as the precision asked for.
func PairTails(x pair.Pair) (Tails, bool) {
	t, ok := generalTails(x)
	if words, fast := PairWordTails(x); ok && fast {
		return words.before(t), true
	}
	return t, ok
}

// generalTails returns the tails of a pair at any precision.
func generalTails(x pair.Pair) (Tails, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return gaussianTails(x.Mu2), true
	case pair.Laplace:
		return laplaceTails(x.Shift), true
	case pair.Logistic:
		return logisticTails(x.Shift), true
	case pair.TruncatedGaussian:
		return truncatedGaussianTails(x), true
	case pair.TruncatedLaplace:
		return truncatedLaplaceTails(x), true
	case pair.ClampedLaplace:
		return clampedTails(x), true
	case pair.ClampedGaussian:
		return clampedGaussianTails(x), true
	case pair.Gaussians:
		return gaussiansTails(x), true
	case pair.GaussianMixture:
		return mixtureTails(x), true
	case pair.SampledReplaceGaussian:
		return sampledReplaceGaussianTails(x.Rate, x.Mu2), true
	case pair.FullBatch:
		return fullBatchTails(x), true
	case pair.Sampled:
		base, ok := single(x.Base)
		if !ok {
			return nil, false
		}
		if x.Reversed {
			base = base.Reverse()
		}
		t, ok := PairTails(base)
		if !ok {
			return nil, false
		}
		if x.Reversed {
			return sampleReversedTails(x.Rate, t), true
		}
		return sampleTails(x.Rate, t), true
	case pair.Either:
		a, ok := PairTails(x.Then)
		b, bok := PairTails(x.Else)
		return eitherTails(x.Share, a, b), ok && bok
	case pair.Mixed:
		base, ok := single(x.Base)
		if !ok {
			return nil, false
		}
		t, ok := PairTails(base)
		if !ok {
			return nil, false
		}
		return mixTails(x.Rate, t), true
	}
	return nil, false
}
