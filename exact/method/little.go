// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"

	"dpverify/exact/hits"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/exact/sector"
)

// hardlyFalls reports few hits of samples with little noise. What no hit has is next to one loss: about e^−hits of the
// transform falls only where that is told from its neighbours, at some 10^5 nodes or none. A hit has a loss as wide as
// μ, which a grid follows easily to four digits.
func hardlyFalls(prod pair.Product) bool {
	const little = 25 // σ = 1/5
	mu2, hits := hitsOf(prod)
	return mu2.Cmp(big.NewRat(little, 1)) >= 0 && hits.Cmp(big.NewRat(fewHits, 1)) < 0
}

// widelyLost reports some hits of samples with so little noise that a grid over their losses is too coarse for four
// digits, by little.
func widelyLost(prod pair.Product) bool {
	const little = 64 // σ = 1/8
	mu2, hits := hitsOf(prod)
	return mu2.Cmp(big.NewRat(little, 1)) >= 0 && hits.Cmp(big.NewRat(1, 1)) >= 0 &&
		hits.Cmp(big.NewRat(fewHits, 1)) < 0
}

// splitsOf returns copies of one sample of so little noise that a line for the outcomes with a hit may be the shorter
// one, and else nil. Where hits are rare that is also so with more noise, at δ such that ε is the loss of a hit.
func (s *Solver) splitsOf(prod pair.Product) *hits.Splits {
	const little, less, some, more = 25, 18, 12, 7 // σ = .2, .24, .29 and .38
	x, ok := hits.New(prod)
	if !ok || x.N == 1 || x.Kind == hits.Added || x.Mu2.Cmp(big.NewRat(more, 1)) < 0 {
		return nil
	}
	_, n := hitsOf(prod)
	few := big.NewRat(4, 1)
	if x.Mu2.Cmp(big.NewRat(less, 1)) >= 0 {
		few.SetInt64(8)
	}
	if x.Mu2.Cmp(big.NewRat(little, 1)) < 0 && n.Cmp(few) >= 0 {
		return nil
	}
	if x.Mu2.Cmp(big.NewRat(some, 1)) < 0 {
		if s.scale < 0 || n.Cmp(big.NewRat(1, 4)) >= 0 {
			return nil
		}
		if eps, ok := x.Near(interval.Pow2(-s.scale)); !ok || eps.Cmp(big.NewRat(1, 1)) < 0 {
			return nil
		}
	}
	return &hits.Splits{Steps: x}
}

// fewHits is fewer hits than a line takes.
const fewHits = 64

// hitsOf returns the least μ² = 1/σ² of samples of Gaussian noise, 0 if something else is composed, and how many hits
// there are in the mean.
func hitsOf(prod pair.Product) (mu2, hits *big.Rat) {
	hits = new(big.Rat)
	for _, t := range prod {
		rate, x := new(big.Rat), new(big.Rat)
		switch p := t.Pair.(type) {
		case pair.Sampled:
			rate = p.Rate
			if m, others := p.Base.Gaussians(); len(others) == 0 {
				x = m
			}
		case pair.SampledReplaceGaussian:
			rate, x = p.Rate, p.Mu2
		}
		if mu2 == nil || x.Cmp(mu2) < 0 {
			mu2 = x
		}
		hits.Add(hits, new(big.Rat).Mul(rate, big.NewRat(t.Count, 1)))
	}
	if mu2 == nil {
		mu2 = new(big.Rat)
	}
	return mu2, hits
}

// fewSteps returns the steps of a product if there are so few of them, or so few hits, that their transform falls late
// on a line, and whether hits are few; and else nil.
func fewSteps(prod pair.Product) (x *sector.Steps, rare bool) {
	const few, many = 64, 1 << 17 // of many steps a sector has no line, and to find that out takes long
	x, ok := sector.New(prod)
	if !ok || x.Copies() == 1 {
		return nil, false
	}
	_, n := hitsOf(prod)
	if rare = n.Cmp(big.NewRat(1, 4)) < 0 && x.Copies() < many; rare || x.Copies() <= few {
		return x, rare
	}
	return nil, false
}

// A lineFunc encloses δ to so many bits by lines of a kind. It reports false if there is none.
type lineFunc = func(context.Context, interval.Prec, interval.Real) (interval.Interval, bool, error)

// otherLine returns what encloses δ to p bits where the lines for all outcomes that first tries, the short ones, do
// not, and else nil. Where hits are few, and where records are replaced, all lines that there are are short.
func (s *Solver) otherLine(x *inversion.Transform, splits *hits.Splits, few *sector.Steps, rare bool,
	p interval.Prec) (first func(context.Context, interval.Prec, interval.Real) (interval.Interval, error),
	other lineFunc) {
	from := interval.Prec(97) // bits: for fewer the transform falls early, or a grid does
	first = x.Short(1 << 12)
	if few != nil && (rare || few.Replaced()) {
		from, first = 17, x.Whole
		if few.Replaced() {
			from = 0
		}
	}
	switch {
	case splits != nil && (few == nil || p <= 96): // where there are many hits, or enough noise, a line is shorter
		return x.Short(1 << 10), splits.Delta
	case few == nil || p < from:
		return nil, nil
	}
	return first, func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, bool, error) {
		const least = 24 // few lines serve many questions
		return few.Delta(ctx, max(p, least), eps, max(s.scale, -x.Above(eps).Hi().MantExp(nil)))
	}
}
