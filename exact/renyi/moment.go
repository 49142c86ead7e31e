// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"
	"sync"

	"dpverify/exact/blanket"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

var (
	zero = interval.Int(0)
	one  = interval.Int(1)

	ratOne = big.NewRat(1, 1)
)

// A LogMoment encloses log M(α) at a real order α > 0. For a guarantee it is the
// bound that the guarantee states, at α > 1 only.
type LogMoment func(p interval.Prec, alpha *big.Rat) interval.Interval

// Moments returns the logarithm of the moment of a product, and reports false if
// a factor's moments are not known or infinite.
func Moments(prod pair.Product) (LogMoment, bool) {
	type factor struct {
		f LogMoment
		n int64
	}
	var fs []factor
	for _, t := range prod {
		f, ok := logMoment(t.Pair)
		if !ok {
			return nil, false
		}
		fs = append(fs, factor{f, t.Count})
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		sum := zero
		for _, f := range fs {
			sum = p.Add(sum, p.Mul(interval.Int(f.n), f.f(p, alpha)))
		}
		return sum
	}, true
}

// maxOutcomes bounds the discrete pairs whose moments are summed: 2^16 are the binomial of 2^26 trials.
const maxOutcomes = 1 << 16

func logMoment(x pair.Pair) (LogMoment, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return linear(new(big.Rat).Mul(x.Mu2, big.NewRat(1, 2))), true
	case pair.ZCDP, pair.RenyiCurve:
		return curve(x), true
	case pair.BoundedRange:
		return boundedRange(x.Eps), true
	case pair.Logistic:
		return logistic(x.Shift), true
	case pair.Laplace:
		return laplace(x.Shift), true
	case pair.Response, pair.TwoPoint, pair.LaplaceAbove, pair.KeyRelease, pair.GroupResponse, pair.Finite,
		pair.DiscreteLaplace, pair.Hull, pair.Binomial, pair.Reported:
		return discrete(x)
	case pair.DiscreteGaussian:
		return discreteGaussian(x), true
	case pair.Truncated:
		if x.Noise == pair.GaussianNoise {
			return truncatedGaussian(x), true
		}
		return truncatedLaplace(x), true
	case pair.GaussianMixture:
		return gaussianMixture(x), true
	case pair.SampledReplaceGaussian:
		return sampledReplaceGaussian(x), true
	case pair.Clamped:
		if x.Noise == pair.GaussianNoise {
			return clampedGaussian(x), true
		}
		return laplaceMoment(func(w interval.Prec) (o overlap, norm interval.Interval) {
			o, _ = overlapOf(w, x)
			return o, one
		}), true
	case pair.Gaussians:
		return gaussians(x), true
	case pair.Sampled:
		return sampled(x)
	case pair.FullBatch:
		return fullBatch(x), true
	case pair.Mean:
		return mean(x)
	case pair.Maximum:
		return maximum(x)
	case pair.Reports:
		return shuffled(x)
	case pair.LocalReports:
		return towardsOne(shuffled(blanket.Hidden(x, x.Apart())))
	case pair.Allocation:
		return allocation(x)
	case pair.RepeatedDivergence:
		return repeated(x)
	case pair.Repeated:
		return repeatedBelow(x)
	case pair.WithReplacement:
		return withReplacement(x)
	}
	return nil, false
}

// linear is R_α = ρα: the Gaussian with ρ = μ²/2.
func linear(rho *big.Rat) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		r := new(big.Rat).Mul(rho, alpha)
		return p.Rat(r.Mul(r, minusOne(alpha)))
	}
}

func minusOne(alpha *big.Rat) *big.Rat { return new(big.Rat).Sub(alpha, ratOne) }

// curve is what a guarantee says of log M: a bound from above for α > 1, and from below for α < 1. Beyond the last
// order nothing is stated: the bound is ∞.
func curve(x pair.Pair) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		r, ok := stated(x, alpha)
		switch {
		case ok:
			return p.Rat(r.Mul(r, minusOne(alpha)))
		case alpha.Cmp(ratOne) < 0:
			return interval.NegInf()
		}
		return posInf
	}
}

// laplace is M(α) = (α·e^((α−1)x) + (α−1)·e^(−αx))/(2α−1) [Mironov 2017, Proposition 6]
// in the form that has no pole: with c = 2α − 1 and y = cx/2,
//
//	M(α) = e^(−x/2)·(sinh(y)/c + cosh(y))
//	     = e^(|y| − x/2)·((1 − e^(−2|y|))/(2|c|) + (1 + e^(−2|y|))/2),
//
// where (1 − e^(−2|y|))/(2|c|) is x/2 at c = 0.
func laplace(shift *big.Rat) LogMoment {
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 16
		c := new(big.Rat).Add(alpha, minusOne(alpha))
		c.Abs(c)
		y2 := new(big.Rat).Mul(c, shift) // 2|y|
		fall := w.Rat(y2).Neg()
		sinh := w.Scale(w.Rat(shift), -1)
		if c.Sign() > 0 {
			sinh = w.Div(w.Expm1(fall).Neg(), w.Rat(new(big.Rat).Add(c, c)))
		}
		cosh := w.Scale(w.Add(one, w.Exp(fall)), -1)
		e := y2.Sub(y2, shift)
		return p.Add(w.Scale(w.Rat(e), -1), w.Log(w.Add(sinh, cosh)))
	}
}

// mean is M(α) = Σ s_i·M_i(α), with the greatest M_i taken out if it is finite.
func mean(x pair.Mean) (LogMoment, bool) {
	fs := make([]LogMoment, len(x.Of))
	for i, o := range x.Of {
		f, ok := Moments(o)
		if !ok {
			return nil, false
		}
		fs[i] = f
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		w := p + 16
		ms, top := make([]interval.Interval, len(fs)), interval.NegInf()
		for i, f := range fs {
			ms[i] = f(w, alpha)
			top = interval.Max(top, ms[i])
		}
		if !top.IsFinite() {
			top = zero
		}
		sum := zero
		for i, m := range ms {
			sum = w.Add(sum, w.Mul(w.Rat(x.Shares[i]), w.Exp(w.Sub(m, top))))
		}
		return p.Add(top, w.Log(sum))
	}, true
}

// maximum bounds the moment of the pair with the profile δ = max(δ₁, δ₂), where no loss is infinite. The maximum of
// more is taken one after the other.
//
// Claim. M lies between max(M₁, M₂) and M₁ + M₂ − 1 for α > 1, and between M₁ + M₂ − 1 and min(M₁, M₂) for α < 1.
//
// Proof. Let δ₀ be the profile of equal distributions. By Lemma 24 (see FromProfile), M(α) − 1 is α(α−1) times a
// linear functional of δ − δ₀ with positive weights. And max(δ₁, δ₂) − δ₀ ≤ (δ₁ − δ₀) + (δ₂ − δ₀).
func maximum(x pair.Maximum) (LogMoment, bool) {
	var fs []LogMoment
	for _, o := range x.Of {
		f, ok := Moments(o)
		if !ok {
			return nil, false
		}
		fs = append(fs, f)
	}
	if HasInfiniteLoss(x) != interval.False {
		return nil, false
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		y := fs[0](p, alpha)
		for _, f := range fs[1:] {
			y = maximumMoment(p, alpha, y, f(p, alpha))
		}
		return y
	}, true
}

// maximumMoment is maximum at one order, from enclosures of log M₁ and log M₂. M is at
// least 1 for α > 1, whatever the enclosures leave open, and positive for α < 1 only.
func maximumMoment(p interval.Prec, alpha *big.Rat, a, b interval.Interval) interval.Interval {
	sum := p.Add(p.Exp(a), p.Expm1(b))
	if alpha.Cmp(ratOne) > 0 {
		return interval.Union(interval.Max(a, b), p.Log(sum))
	}
	y := interval.Min(a, b)
	if sum.Positive() != interval.True {
		return interval.Bounds(interval.Entire().Lo(), y.Hi())
	}
	return interval.Union(y, p.Log(sum))
}

// Slow reports whether divergences of a product take longer than other bounds of it. The divergences of allocations
// are integrals. Those of shuffled reports and of draws with replacement are long sums. Selections and these draws
// have sharper methods.
func Slow(prod pair.Product) bool {
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.Allocation:
			if x.Reversed {
				return true
			}
		case pair.Reports, pair.LocalReports, pair.Reported, pair.Repeated, pair.WithReplacement:
			return true
		}
		for _, p := range pair.Parts(t.Pair) {
			if Slow(p) {
				return true
			}
		}
	}
	return false
}

// Remembered computes each moment once.
func Remembered(m func(interval.Prec, *big.Rat) interval.Interval) func(interval.Prec, *big.Rat) interval.Interval {
	type key struct {
		p     interval.Prec
		alpha string
	}
	var mu sync.Mutex
	known := make(map[key]interval.Interval)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		k := key{p, alpha.RatString()}
		mu.Lock()
		defer mu.Unlock()
		y, ok := known[k]
		if !ok {
			y = m(p, alpha)
			known[k] = y
		}
		return y
	}
}
