// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// maxBinomial bounds the orders of finite sums.
const maxBinomial = 1 << 12

// sampled is the moment of ((1−γ)Q + γP, Q), or of the pair reversed, by what the base
// allows: a mixture of Gaussians, outcomes, an integral, cells of the loss, or its moments.
func sampled(x pair.Sampled) (LogMoment, bool) {
	general, ok := sampledGeneral(x)
	if !ok || x.Reversed {
		return general, ok
	}
	base, ok := Moments(x.Base)
	inf, known := pair.InfMass(x.Base)
	if !ok || !known || x.Base.IsGuarantee() {
		return general, true
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		if alpha.IsInt() && alpha.Num().IsInt64() && alpha.Num().Int64() <= maxBinomial {
			return binomialSum(p, x.Rate, base, inf, alpha.Num().Int64())
		}
		return general(p, alpha)
	}, true
}

// sampledGeneral is sampled for any order.
func sampledGeneral(x pair.Sampled) (LogMoment, bool) {
	if mu2, others := x.Base.Gaussians(); len(others) == 0 && len(x.Base) > 0 {
		return sampledGaussian(x.Rate, mu2, x.Reversed), true
	}
	if f, ok := discrete(x); ok {
		bound := sampledBound
		if x.Reversed {
			bound = sampledReversedBound
		}
		g, ok := bound(x)
		if !ok {
			return f, true
		}
		// Outcomes left out of an unbounded loss bound the moment from below only.
		return func(p interval.Prec, alpha *big.Rat) interval.Interval {
			y := f(p, alpha)
			if y.Hi().IsInf() {
				y, _ = interval.Intersect(y, g(p, alpha))
			}
			return y
		}, true
	}
	if f, ok := sampledLaplace(x); ok {
		return f, true
	}
	return sampledRough(x)
}

// sampledRough is sampledGeneral to some digits.
func sampledRough(x pair.Sampled) (LogMoment, bool) {
	if f, ok := cells(x); ok {
		return f, true
	}
	if x.Reversed {
		return sampledReversedBound(x)
	}
	return sampledBound(x)
}

// binomialSum is the finite sum for an integer order α ≥ 1: (1−γ+γu)^α, u = P/Q, expanded,
//
//	M(α) = Σ_k C(α, k)·(1−γ)^(α−k)·γ^k·M₀(k)
//
// over the outcomes with Q > 0: M₀(0) = 1 and M₀(1) = 1 − m∞ [Mironov, Talwar & Zhang 2019, (30), for any base].
func binomialSum(p interval.Prec, rate *big.Rat, base LogMoment, inf *big.Rat, alpha int64) interval.Interval {
	w := p + 32
	keep := w.Rat(new(big.Rat).Sub(ratOne, rate))
	gamma := w.Rat(rate)
	logOdds := w.Log(w.Div(gamma, keep))
	sum := zero
	c := big.NewInt(1)
	for k := int64(0); k <= alpha; k++ {
		y := w.Exp(w.Mul(interval.Int(k), logOdds))
		switch k {
		case 0:
		case 1:
			y = w.Mul(y, w.Rat(new(big.Rat).Sub(ratOne, inf)))
		default:
			y = w.Exp(w.Add(w.Mul(interval.Int(k), logOdds), base(w, new(big.Rat).SetInt64(k))))
		}
		sum = w.Add(sum, w.Mul(w.BigInt(c), y))
		c.Mul(c, big.NewInt(alpha-k))
		c.Quo(c, big.NewInt(k+1))
	}
	return p.Add(w.Mul(interval.Int(alpha), w.Log(keep)), w.Log(sum))
}

// sampledBound encloses the moment by the moments of the base at integer orders: log M is convex in α, so it lies
// below its chords and above their extensions. M(1) is the mass of finite loss, which beside a guarantee is only
// known to be at most 1. For α < 1 nothing is said.
func sampledBound(x pair.Sampled) (LogMoment, bool) {
	base, ok := Moments(x.Base)
	inf, known := pair.InfMass(x.Base)
	if x.Base.IsGuarantee() {
		inf, known = new(big.Rat), true
	}
	if !ok || !known {
		return nil, false
	}
	guarantee := x.Base.IsGuarantee()
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		n := floor(alpha)
		if alpha.Cmp(ratOne) < 0 || !n.IsInt64() || n.Int64() >= maxBinomial {
			return interval.Entire()
		}
		k := n.Int64()
		at := func(k int64) interval.Interval {
			if k == 1 {
				return p.Log(p.Rat(new(big.Rat).Sub(ratOne, new(big.Rat).Mul(x.Rate, inf))))
			}
			return binomialSum(p, x.Rate, base, inf, k)
		}
		t := p.Rat(new(big.Rat).Sub(alpha, new(big.Rat).SetInt(n)))
		y0 := at(k)
		if alpha.IsInt() {
			return y0
		}
		y1 := at(k + 1)
		hi := p.Add(y0, p.Mul(t, p.Sub(y1, y0)))
		if guarantee {
			return hi // of the bounds that the guarantee states
		}
		y2 := at(k + 2)
		lo := p.Sub(y1, p.Mul(p.Sub(one, t), p.Sub(y2, y1)))
		if k > 1 {
			lo = interval.Max(lo, p.Add(y0, p.Mul(t, p.Sub(y0, at(k-1)))))
		}
		return interval.Bounds(lo.Lo(), hi.Hi())
	}, true
}

// sampledReversedBound bounds R_α(Q‖(1−γ)Q + γP) by γ·R_α(Q‖P), convexity in the second argument [van Erven &
// Harremoës 2014, Theorem 12], by −log(1−γ), its density ratio, and by terms of second order in γ:
//
//	M(α) ≤ 1 + α(α − 1)/2·γ²·(1 − γ)^(−α−1)·(e^{R_2(P‖Q)} − 1).
//
// Proof of the last one. M(α) = E_Q[(1 + γv)^(1−α)] with v = P/Q − 1 ≥ −1. As no loss of (P, Q) is infinite, E_Q[v] =
// 0, and E_Q[v²] = e^{R_2(P‖Q)} − 1. The second derivative of (1 + x)^(1−α), which is α(α − 1)(1 + x)^(−1−α), falls:
// from −γ on it is at most its value there, and Taylor's formula at 0 has the bound. ∎
//
// Where (Q, P) may have infinite losses, beside a guarantee too, its moments are of the finite ones only, and R_α(Q‖P)
// is ∞; likewise (P, Q).
func sampledReversedBound(x pair.Sampled) (LogMoment, bool) {
	guarantee := x.Base.IsGuarantee()
	base, ok := Moments(x.Base.Reverse())
	ok = ok && InfiniteLoss(x.Base.Reverse()) == interval.False
	forward, second := Moments(x.Base)
	second = second && InfiniteLoss(x.Base) == interval.False
	keep := new(big.Rat).Sub(ratOne, x.Rate)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		t := p.Rat(minusOne(alpha))
		if t.Positive() != interval.True {
			return interval.Entire()
		}
		y := p.Mul(t, p.Log1p(p.Rat(x.Rate).Neg()).Neg())
		if ok {
			y = interval.Min(y, p.Mul(p.Rat(x.Rate), base(p, alpha)))
		}
		if second {
			w := p + 16
			c := new(big.Rat).Mul(alpha, minusOne(alpha))
			c.Mul(c, x.Rate).Mul(c, x.Rate).Mul(c, big.NewRat(1, 2))
			grow := w.Exp(w.Mul(w.Rat(new(big.Rat).Add(alpha, ratOne)), w.Log(w.Rat(keep)).Neg()))
			y = interval.Min(y, w.Log1p(w.Mul(w.Mul(w.Rat(c), grow), w.Expm1(forward(w, big.NewRat(2, 1))))))
		}
		if guarantee {
			return y
		}
		return interval.Union(zero, y)
	}, true
}
