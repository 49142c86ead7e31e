// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// closedForm wraps a closed form of package closed.
func closedForm(f func(p interval.Prec, eps interval.Real) interval.Interval) *plan {
	return &plan{Cost: 1e-3, TwoSided: true, Prepare: ready(
		func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return f(p, eps), nil
		})}
}

// gaussianMethod: a product of Gaussians is one Gaussian.
type gaussianMethod struct{}

func (gaussianMethod) Plan(_ *solver, prod pair.Product, _ Effort) *plan {
	mu2, rest := prod.Gaussians()
	if mu2.Sign() == 0 || len(rest) > 0 {
		return nil
	}
	return closedForm(closed.GaussianDelta(mu2))
}

// tailsPlan is the profile of a pair by the closed form of its tails.
func tailsPlan(x pair.Pair) *plan {
	t, ok := closed.PairTails(x)
	if !ok {
		return nil
	}
	return closedForm(t.Delta)
}

// laplaceMethod: equal Laplace pairs, one or many.
type laplaceMethod struct{}

func (laplaceMethod) Plan(_ *solver, prod pair.Product, e Effort) *plan {
	if len(prod) != 1 {
		return nil
	}
	l, ok := prod[0].Pair.(pair.Laplace)
	k := prod[0].Count
	switch {
	case !ok || k > closed.MaxLaplaceTerms:
		return nil
	case k == 1:
		return closedForm(func(p interval.Prec, eps interval.Real) interval.Interval { return closed.Laplace(p, l.Shift, eps) })
	}
	// A search takes some twenty values: the grid is cheaper for a first one, of many copies.
	cost := float64(k*k) * 1e-6 * (1 + float64(k)/8000) * (1 + float64(e.Bits())/1000)
	return &plan{Cost: cost, TwoSided: true, Sharp: e > 0, Prepare: ready(
		func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return closed.LaplaceSum(ctx, p, l.Shift, k, eps)
		})}
}

// noiseMethod: one pair with a closed form of its own.
type noiseMethod struct{}

func (noiseMethod) Plan(_ *solver, prod pair.Product, _ Effort) *plan {
	if len(prod) != 1 || prod[0].Count != 1 {
		return nil
	}
	switch x := prod[0].Pair.(type) {
	case pair.TruncatedGaussian, pair.TruncatedLaplace, pair.ClampedLaplace, pair.ClampedGaussian, pair.Gaussians, pair.GaussianMixture, pair.SampledReplaceGaussian, pair.FullBatch, pair.Either:
		return tailsPlan(x)
	case pair.Logistic:
		return closedForm(func(p interval.Prec, eps interval.Real) interval.Interval { return closed.Logistic(p, x.Shift, eps) })
	case pair.DiscreteLaplace:
		return closedForm(func(p interval.Prec, eps interval.Real) interval.Interval {
			return closed.DiscreteLaplace(p, x.A, x.Sensitivity, eps)
		})
	}
	return nil
}

// poissonMethod: one Poisson sample, from the profile of its base.
type poissonMethod struct{}

func (poissonMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.Sampled](prod)
	if !ok {
		return nil
	}
	base, sample := x.Base, profile.Sample
	if x.Reversed {
		base, sample = base.Reverse(), profile.SampleReversed
	}
	return s.madeOf(func(fs ...profile.Func) profile.Func { return sample(x.Rate, fs[0]) }, base)
}

// mixedMethod: one mixture with nothing, from the profile of its base.
type mixedMethod struct{}

func (mixedMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.Mixed](prod)
	if !ok {
		return nil
	}
	return s.madeOf(func(fs ...profile.Func) profile.Func { return profile.Mix(x.Rate, fs[0]) }, x.Base)
}

// maximumMethod: one pair that dominates several products.
type maximumMethod struct{}

func (maximumMethod) Plan(s *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.Maximum](prod)
	if !ok {
		return nil
	}
	return s.madeOf(profile.Max, x.Of...)
}

// madeOf is the plan for a profile that is made of others, and as good as they are.
func (s *solver) madeOf(f func(...profile.Func) profile.Func, of ...pair.Product) *plan {
	out := &plan{Cost: 1e-3, TwoSided: true}
	out.Prepare = func(ctx context.Context) (profile.Func, error) {
		fs, err := s.profilesOf(ctx, of, out.restsOn)
		if err != nil {
			return nil, err
		}
		return f(fs...), nil
	}
	return out
}

// withReplacementMethod: one sample with replacement, from above, by the profiles of groups of copies; see
// pair.WithReplacement.
type withReplacementMethod struct{}

func (withReplacementMethod) Plan(_ *solver, prod pair.Product, _ Effort) *plan {
	x, ok := pair.Single[pair.WithReplacement](prod)
	if !ok {
		return nil
	}
	return &plan{Cost: 5e-3, Prepare: ready(profile.SelfDual(closed.NewDraws(x).Above))}
}
