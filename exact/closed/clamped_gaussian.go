// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// clampedGaussianTails: a clamped Gaussian variable against its shift. F is the distribution function
// of X ~ N(µ, σ²), t > 0 the shift.
//
// The densities f(x) and f(x − t) have the log ratio t(t + 2µ − 2x)/2σ², which falls in x and
// exceeds ε exactly on x < o = µ + t/2 − εσ²/t. The opposite ratio exceeds ε on x > o′ = µ + t/2 + εσ²/t.
//
// Clamp-then-shift: as in [clampedTails], with o₊ = max(o, t), since P has no mass of finite loss below t:
//
//	P(L > ε) = F(o₊),  Q(L > ε) = F(o₊ − t) − F(0);
//
// reversed, F(0) + 1 − F(o′₊ − t) and 1 − F(o′₊).
//
// Shift-then-clamp: the atoms at 0 weigh F(0) and F(−t). Their log ratio l₀ is the logarithm of a mean of
// ratios at x ≤ 0, no smaller than any at x > 0. So L > ε on [0, o) if o > 0, and otherwise on {0} if
// l₀ > ε; reversed, on x > max(o′, 0), or everywhere if −l₀ > ε.
func clampedGaussianTails(c pair.ClampedGaussian) Tails {
	slope := new(big.Rat).Mul(c.Sigma, c.Sigma)
	slope.Quo(slope, c.Shift)
	middle := new(big.Rat).Add(c.Location, new(big.Rat).Mul(c.Shift, big.NewRat(1, 2)))
	return func(w interval.Prec, eps Arg) (p, q interval.Interval) {
		g := clampedGaussian{clamping{w, c.Location, c.Sigma, c.Shift, fixed.NormalCDF, fixed.NormalSF}, slope, middle}
		return clampedTail(g, c.ShiftFirst, c.Reversed)(eps)
	}
}

type clampedGaussian struct {
	clamping
	slope, middle *big.Rat // σ²/t and µ + t/2
}

// crossing returns µ + t/2 − eσ²/t.
func (g clampedGaussian) crossing(e interval.Interval) interval.Interval {
	return g.w.Sub(g.w.Rat(g.middle), g.w.Mul(g.w.Rat(g.slope), e))
}

// beyond reports x > bound of a crossing: where ε is rational, so is the crossing.
func (g clampedGaussian) beyond(eps *big.Rat, sign int64, x interval.Interval, bound *big.Rat) interval.Truth {
	if eps == nil {
		return g.w.Rat(bound).Less(x)
	}
	o := new(big.Rat).Mul(g.slope, eps)
	o.Mul(o, big.NewRat(-sign, 1))
	if o.Add(o, g.middle).Cmp(bound) > 0 {
		return interval.True
	}
	return interval.False
}

func (g clampedGaussian) clampFirst(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	o := g.crossing(eps.Interval)
	if g.beyond(eps.Rat, 1, o, g.shift) == interval.False {
		return g.cdf(t), zero
	}
	o = interval.Max(o, t)
	return g.cdf(o), g.between(zero, w.Sub(o, t))
}

// between returns F(b) − F(a), a ≤ b, from the side where the two are small.
func (g clampedGaussian) between(a, b interval.Interval) interval.Interval {
	w := g.w
	if w.Add(g.scaled(a), g.scaled(b)).Positive() == interval.True {
		return unitPart(w.Sub(g.sf(a), g.sf(b)))
	}
	return unitPart(w.Sub(g.cdf(b), g.cdf(a)))
}

func (g clampedGaussian) clampFirstReversed(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	o := g.crossing(eps.Neg())
	if g.beyond(eps.Rat, -1, o, g.shift) == interval.False {
		return one, g.sf(t)
	}
	o = interval.Max(o, t)
	return unitPart(w.Add(g.cdf(zero), g.sf(w.Sub(o, t)))), g.sf(o)
}

func (g clampedGaussian) clampLast(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	o := g.crossing(eps.Interval)
	positive := g.beyond(eps.Rat, 1, o, new(big.Rat))
	at := interval.Max(o, zero)
	if positive == interval.False {
		at = zero
	}
	p, q = g.cdf(at), g.cdf(w.Sub(at, t))
	if positive == interval.True {
		return p, q
	}
	switch eps.Less(g.atomLoss()) { // l₀ > ε
	case interval.True:
		return p, q
	case interval.False:
		if positive == interval.False {
			return zero, zero
		}
	}
	return interval.Union(p, zero), interval.Union(q, zero)
}

func (g clampedGaussian) clampLastReversed(eps Arg) (p, q interval.Interval) {
	w, t := g.w, g.w.Rat(g.shift)
	all := g.atomLoss().Less(eps.Neg()) // −l₀ > ε
	if all == interval.True {
		return one, one
	}
	o := interval.Max(g.crossing(eps.Neg()), zero)
	p, q = g.sf(w.Sub(o, t)), g.sf(o)
	if all == interval.Unknown {
		p, q = interval.Union(p, one), interval.Union(q, one)
	}
	return p, q
}
