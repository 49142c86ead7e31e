// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package closed has the privacy profiles that are closed forms, in float64 with a
// bound of the error: Gaussian, Laplace and truncated noise, finite pairs, their
// products and Poisson samples. One value takes microseconds.
package closed

import (
	"context"

	"dpverify/float/law"
	"dpverify/float/pair"
	"dpverify/float/value"
)

// Of returns the profile of a product in closed form; false if there is none: the
// product of at most one continuous factor, with one copy, and of discrete ones. It is also
// false if ctx ends. One value takes at most maxTerms terms.
func Of(ctx context.Context, p pair.Product) (Profile, bool) { return of(ctx, p, maxTerms) }

// of returns a profile one value of which takes at most a number of terms.
func of(ctx context.Context, p pair.Product, most int) (Profile, bool) {
	var discrete pair.Product
	var continuous []pair.Pair
	for _, t := range p {
		if _, ok := t.Pair.(pair.Discrete); ok {
			discrete = append(discrete, t)
			continue
		}
		if t.Count != 1 || len(continuous) == 1 {
			return nil, false
		}
		continuous = append(continuous, t.Pair)
	}
	l, ok := law.Of(ctx, discrete)
	if !ok {
		return nil, false
	}
	if len(continuous) == 0 {
		return l.Delta, len(l.Loss) <= most
	}
	if len(l.Loss) > min(most, maxValues) {
		return nil, false
	}
	base, ok := single(ctx, continuous[0], most/max(1, len(l.Loss)))
	if !ok || len(discrete) == 0 {
		return base, ok
	}
	return times(l, base), true
}

const (
	// maxTerms bounds the terms of one value: samples of products multiply theirs.
	maxTerms = 1 << 17
	// maxValues bounds the values of a base profile that one value of a product takes.
	maxValues = 1 << 13
)

// single returns the profile of one continuous pair, as of does.
func single(ctx context.Context, x pair.Pair, most int) (Profile, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return Gaussian(value.Rat(x.Mu2).Sqrt()), true
	case pair.Laplace:
		return Laplace(value.Rat(x.Shift)), true
	case pair.Truncated:
		return truncatedProfile(x), true
	case pair.Sampled:
		if x.Reversed {
			base, ok := of(ctx, x.Base.Reverse(), most)
			return sampleReversed(x.Rate, base), ok
		}
		base, ok := of(ctx, x.Base, most)
		return sample(x.Rate, base), ok
	}
	return nil, false
}

// times returns the profile of a product with a discrete pair, conditioned on its
// loss: δ(ε) = Inf + Σ_j p_j·δ₀(ε − l_j), since H_α(P₁×P₂‖Q₁×Q₂) = E_P₁ H_{α/r}(P₂‖Q₂)
// with r the likelihood ratio of the first. A positive sum; each mass is off by Rel,
// and what is left out adds at most Rest.
func times(l law.Law, base Profile) Profile {
	return func(eps value.Value) value.Value {
		sum, err := 0.0, 0.0
		for j, x := range l.Loss {
			d := base(eps.Sub(value.Within(x, l.LossErr)))
			sum += l.P[j] * d.V
			err += l.P[j] * d.Err
		}
		rel := l.Rel + float64(len(l.Loss)+4)*value.U
		return value.Within(sum, sum*rel+err*(1+2*rel)+l.Rest).Add(l.Inf).Clamp(0, 1)
	}
}
