// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// closedForm wraps a closed form of package closed.
func closedForm(f func(p interval.Prec, eps interval.Real) interval.Interval) *Plan {
	return &Plan{Cost: 1e-3, TwoSided: true, Bits: Effort.Bits, Prepare: ready(
		func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return f(p, eps), nil
		})}
}

// Gaussian: a product of Gaussians is one Gaussian.
func Gaussian(_ *Solver, prod pair.Product, _ Effort) *Plan {
	mu2, rest := prod.Gaussians()
	if mu2.Sign() == 0 || len(rest) > 0 {
		return nil
	}
	return closedForm(closed.GaussianDelta(mu2))
}

// quickSum is what a value by another closed form may cost, in seconds, for a line not to be tried before it.
const quickSum = 0.1

// manyInWords is the number of Laplace pairs above which a grid has the first digits of a sum in words for less.
const manyInWords = 1 << 13

// Laplace: equal Laplace pairs, one or many.
func Laplace(_ *Solver, prod pair.Product, e Effort) *Plan {
	if len(prod) != 1 {
		return nil
	}
	l, ok := prod[0].Pair.(pair.Laplace)
	k := prod[0].Count
	const few = 64 // bits
	inWords := ok && closed.LaplaceSumBits(l.Shift, k) >= few
	switch {
	case !ok || k > closed.MaxLaplaceTerms && !inWords:
		return nil
	case k == 1:
		return closedForm(func(p interval.Prec,
			eps interval.Real) interval.Interval {
			return closed.Laplace(p, l.Shift, eps)
		})
	}
	cost := float64(k*k) * 1e-6 * (1 + float64(k)/8000) * (1 + float64(e.Bits())/1000)
	switch {
	case inWords:
		cost = min(cost, quickSum+float64(k)*2e-5*(1+float64(k)/16000)) // where a line is none, and else after it
	case e == 0:
		cost *= 4 // a search takes some values: a grid is cheaper for a first one, of many copies
	}
	return &Plan{Cost: cost, TwoSided: true, Sharp: e > 0 || inWords && k <= manyInWords, Prepare: ready(
		func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return closed.LaplaceSum(ctx, p, l.Shift, k, eps)
		})}
}

// Noise: one pair with a closed form of its own.
func Noise(_ *Solver, prod pair.Product, _ Effort) *Plan {
	if len(prod) != 1 || prod[0].Count != 1 {
		return nil
	}
	switch x := prod[0].Pair.(type) {
	case pair.Truncated, pair.Clamped, pair.Gaussians,
		pair.GaussianMixture, pair.SampledReplaceGaussian, pair.FullBatch, pair.Mean:
		if t, ok := closed.PairTails(x); ok {
			return closedForm(t.Delta)
		}
	case pair.Logistic:
		return closedForm(func(p interval.Prec,
			eps interval.Real) interval.Interval {
			return closed.Logistic(p, x.Shift, eps)
		})
	case pair.DiscreteLaplace:
		return closedForm(func(p interval.Prec, eps interval.Real) interval.Interval {
			return closed.DiscreteLaplace(p, x.A, x.Sensitivity, eps)
		})
	}
	return nil
}

// Poisson: one Poisson sample, from the profile of its base.
func Poisson(s *Solver, x pair.Sampled, _ Effort) *Plan {
	base, sample := x.Base, profile.Sample
	if x.Reversed {
		base, sample = base.Reverse(), profile.SampleReversed
	}
	return s.madeOf(func(fs ...profile.Func) profile.Func { return sample(x.Rate, fs[0]) }, base)
}

// Mixed: one mixture with nothing, or of several products, from their profiles.
func Mixed(s *Solver, x pair.Mean, _ Effort) *Plan {
	return s.madeOf(func(fs ...profile.Func) profile.Func { return profile.Mean(x.Shares, fs...) }, x.Of...)
}

// Maximum: one pair that dominates several products.
func Maximum(s *Solver, x pair.Maximum, _ Effort) *Plan {
	return s.madeOf(profile.Max, x.Of...)
}

// madeOf is the plan for a profile that is made of others, and as good as they are.
func (s *Solver) madeOf(f func(...profile.Func) profile.Func, of ...pair.Product) *Plan {
	out := &Plan{Cost: 1e-3, TwoSided: true}
	out.Prepare = func(ctx context.Context) (profile.Func, error) {
		fs, err := s.profilesOf(ctx, of, out.restsOn)
		if err != nil {
			return nil, err
		}
		return f(fs...), nil
	}
	return out
}

// WithReplacement: one sample with replacement, from above, by the profiles of groups of copies; see
// pair.WithReplacement.
func WithReplacement(_ *Solver, x pair.WithReplacement, _ Effort) *Plan {
	back, _ := x.Reverse().(pair.WithReplacement)
	return &Plan{Cost: 5e-3, Prepare: ready(profile.ByReversal(closed.NewDraws(x).Above, closed.NewDraws(back).Above))}
}
