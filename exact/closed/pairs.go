// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"slices"
	"sync"

	"dpverify/exact/fixed"
	"dpverify/exact/pair"
)

// PairTails returns the tails of a pair with a continuous loss, and reports false
// for pairs without such a form.
//
// They are computed in three words where these are as good as the precision asked for.
func PairTails(x pair.Pair) (Tails, bool) {
	f, ok := formsOf(x)
	if !ok {
		return nil, false
	}
	return f.best(), true
}

// best are the tails in three words where these are as good as others.
func (f forms) best() Tails {
	if f.words != nil {
		return f.words.before(f.tails)
	}
	return f.tails
}

// PairWordTails returns the tails of a pair in words. It reports false for pairs that have none;
// those that it knows have Tails as well.
func PairWordTails(x pair.Pair) (WordTails, bool) {
	f, _ := formsOf(x)
	return f.words, f.words != nil
}

// late are tails that are made at their first use: most plans only ask whether there are any.
func late(made func() WordTails) WordTails {
	tails := sync.OnceValue(made)
	return func(eps fixed.Real) (p, q fixed.Real) { return tails()(eps) }
}

func formsOf(x pair.Pair) (f forms, ok bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return forms{gaussianTails(x.Mu2), late(func() WordTails { return gaussianWords(x.Mu2) })}, true
	case pair.Laplace:
		return forms{laplaceTails(x.Shift), laplaceWords(x.Shift)}, true
	case pair.Logistic:
		f.tails = logisticTails(x.Shift)
	case pair.Truncated:
		f.tails = truncatedTails(x)
	case pair.Clamped:
		f.tails = clampedTails(x)
	case pair.Gaussians:
		f.tails = gaussiansTails(x)
	case pair.GaussianMixture:
		f.tails = mixtureTails(x)
	case pair.SampledReplaceGaussian:
		return forms{sampledReplaceGaussianTails(x.Rate, x.Mu2), sampledReplaceGaussianWords(x.Rate, x.Mu2)}, true
	case pair.FullBatch:
		f.tails = fullBatchTails(x)
	case pair.Maximum:
		one, ok := folded(x)
		if !ok {
			return f, false
		}
		forward, ok := formsOf(one)
		backward, found := formsOf(one.Reverse())
		return foldedForms(one, forward, backward), ok && found
	case pair.Sampled:
		base, ok := single(x.Base)
		if !ok {
			return f, false
		}
		of, inWords := sampleTails, sampleWords
		if x.Reversed {
			base, of, inWords = base.Reverse(), sampleReversedTails, sampleReversedWords
		}
		b, ok := formsOf(base)
		if b.words != nil {
			f.words = late(func() WordTails { return inWords(x.Rate, b.words) })
		}
		f.tails = of(x.Rate, b.best())
		return f, ok
	case pair.Mean:
		of, words := make([]Tails, len(x.Of)), make([]WordTails, len(x.Of))
		for i, p := range x.Of {
			if len(p) == 0 {
				of[i] = noTails
				continue
			}
			base, ok := single(p)
			if ok {
				of[i], ok = PairTails(base)
				words[i], _ = PairWordTails(base)
			}
			if !ok {
				return f, false
			}
		}
		f.tails = meanTails(x.Shares, of)
		if !slices.ContainsFunc(words, func(w WordTails) bool { return w == nil }) {
			f.words = meanWords(x.Shares, words)
		}
	}
	return f, f.tails != nil
}
