// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math"
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A Sampled pair is a Poisson sample of another one, ((1−γ)Q + γP, Q), where γ is the rate.
type Sampled struct {
	Divisible
	Rate *big.Rat
}

// Profile is γH(α'), α' = (α − (1−γ))/γ, or 1 − α, in the direction remove.
func (s Sampled) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	if d == mechanism.Add {
		return exchanged(s, alpha)
	}
	return sampledProfile(s.Divisible, s.Rate, alpha)
}

// sampledProfile is the profile of a sample of a pair, in the direction remove.
func sampledProfile(p Pair, r *big.Rat, alpha fixed.Real) fixed.Real {
	one, rate := fixed.Int(1), Three.Rat(r)
	inner := Three.Div(Three.Sub(alpha, Three.Sub(one, rate)), rate)
	if inner.Positive() != interval.True {
		return Three.Sub(one, alpha)
	}
	return Three.Mul(rate, p.Profile(mechanism.Remove, inner))
}

// Loss is log(1 − γ + γe^x) for a loss x of what is sampled.
func (s Sampled) Loss(t float64) float64 {
	return sampledLoss(number.Float64(s.Rate), s.Divisible.Loss(t))
}

// sampledLoss is log(1 − q + q·e^x).
func sampledLoss(q, x float64) float64 {
	if x < 30 {
		return math.Log1p(q * math.Expm1(x))
	}
	return x + math.Log(q+(1-q)*math.Exp(-x))
}

// Outcome is that of a loss of what is sampled.
func (s Sampled) Outcome(x float64) float64 {
	q := number.Float64(s.Rate)
	y := 1 + math.Expm1(x)/q // e^x' = (e^x − (1−q))/q
	if x > 30 {
		x += math.Log1p(-(1-q)*math.Exp(-x)) - math.Log(q)
	} else if y <= 0 {
		return math.Inf(-1)
	} else {
		x = math.Log(y)
	}
	return s.Divisible.Outcome(x)
}

func (s Sampled) mixture(side Side) []moved {
	if side == OfQ {
		return s.Divisible.mixture(OfQ)
	}
	r := number.Float64(s.Rate)
	return []moved{{r, s.Divisible.mixture(OfP)[0].mean}, {1 - r, 0}}
}

func (s Sampled) above(t fixed.Real) Mass { return sampledAbove(s.Rate, s.Divisible.above(t)) }

// sampledAbove has the masses above a point of a sample, by those of what is sampled.
func sampledAbove(rate *big.Rat, m Mass) Mass {
	r := Three.Rat(rate)
	m.P = Three.Add(Three.Mul(r, m.P), Three.Mul(Three.Sub(fixed.Int(1), r), m.Q))
	return m
}
