// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package selection bounds the best of a random number K of independent runs of a mechanism, by an order of its
// outputs.
//
// Let f be the generating function of K. The best run is at most y with probability f(P(≤ y)), so that outputs at the
// place u = P(≤ y) have f′(u) times the density that they have in one run. docs/theorems.md, *The best of several
// runs*, has the bounds and their proofs.
package selection

import (
	"math"
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Law is the distribution of K. Its generating function is looked at from above: y = 1 − u is the probability of what
// is better.
//
// The truncated negative binomial distribution with parameters γ and η has, for ρ = (1 − γ)/γ,
//
//	1 − f(1 − y) = (1 − (1 + ρy)^−η)/(1 − (1 + ρ)^−η), or log(1 + ρy)/log(1 + ρ) for η = 0,
//	f′(1 − y) = E K·(1 + ρy)^−(η+1), E K = ηρ/(1 − (1 + ρ)^−η), or ρ/log(1 + ρ),
//
// and the Poisson distribution of mean m has 1 − f(1 − y) = 1 − e^(−my) and f′(1 − y) = m·e^(−my).
type Law struct {
	mean  *big.Rat
	shape *big.Rat          // nil: Poisson
	t     interval.Interval // log(1 + ρ) = log(1/γ)
	rho   interval.Interval
	prec  interval.Prec

	fm, feta, ft, frho float64 // m, η, t and ρ, about
}

// maxLogRho bounds log(1 + ρ): beyond, a mean is out of reach.
const maxLogRho = 1 << 20

// NewLaw returns the law of a mean > 1, or > 0 if Poisson (shape nil), with parameters of about p bits. It reports
// false where ρ is too large to be written down, for shapes next to −1.
//
// 1/E K = (1/ρ)·∫₀^ρ (1 + t)^−(η+1) dt, the mean of a falling function over [0, ρ], falls with ρ from 1 to 0: each mean
// above 1 has one ρ, found by bisection. Where the arithmetic cannot tell a side, the bracket stays.
func NewLaw(p interval.Prec, mean, shape *big.Rat) (Law, bool) {
	l := Law{mean: mean, shape: shape, prec: p + 32}
	l.fm = near(l.prec.Rat(mean))
	if shape == nil {
		return l, true
	}
	w := l.prec
	m := w.Rat(mean)
	integer := func(n int64) *big.Float { return new(big.Float).SetPrec(uint(w)).SetInt64(n) }
	lo, hi := integer(0), integer(1)
	for m.Less(meanAt(w, interval.Point(hi), shape)) != interval.True {
		if lo.Set(hi); hi.Cmp(integer(maxLogRho)) >= 0 {
			return l, false
		}
		hi.Mul(hi, integer(2))
		if meanAt(w, interval.Point(lo), shape).Less(m) != interval.True {
			lo.SetInt64(0)
		}
	}
	mid := new(big.Float).SetPrec(uint(w))
	for range w + 32 {
		mid.Quo(mid.Add(lo, hi), integer(2))
		if mid.Cmp(lo) == 0 || mid.Cmp(hi) == 0 {
			break
		}
		at := meanAt(w, interval.Point(mid), shape)
		if at.Less(m) == interval.True {
			lo.Set(mid)
		} else if m.Less(at) == interval.True {
			hi.Set(mid)
		} else {
			break
		}
	}
	l.t = interval.Bounds(lo, hi)
	l.rho = w.Expm1(l.t)
	l.feta, l.ft = near(w.Rat(shape)), near(l.t)
	l.frho = math.Expm1(min(l.ft, 700))
	return l, true
}

// near is a number of an enclosure, to choose by.
func near(x interval.Interval) float64 { return double.Of(x).Mid() }

// meanAt encloses E K at log(1 + ρ) = t > 0.
func meanAt(w interval.Prec, t interval.Interval, shape *big.Rat) interval.Interval {
	rho := w.Expm1(t)
	if shape.Sign() == 0 {
		return w.Div(rho, t)
	}
	eta := w.Rat(shape)
	return w.Div(w.Mul(eta, rho), w.Expm1(w.Mul(eta, t).Neg()).Neg())
}

// Mean is E K.
func (l Law) Mean() *big.Rat { return l.mean }

// Shape is η, nil if Poisson.
func (l Law) Shape() *big.Rat { return l.shape }

// Rho encloses ρ, of Poisson m: f′ changes most for y of about 1/ρ.
func (l Law) Rho() interval.Interval {
	if l.shape == nil {
		return l.prec.Rat(l.mean)
	}
	return l.rho
}

// None encloses P(K = 0).
func (l Law) None() interval.Interval {
	if l.shape == nil {
		return l.prec.Exp(l.prec.Rat(l.mean).Neg())
	}
	return interval.Int(0)
}

// Better encloses 1 − f(1 − y), the probability that the best run is among the best outputs, of probability y in one
// run. 0 ≤ y ≤ 1. It rises with y.
func (l Law) Better(y interval.Interval) interval.Interval {
	w := l.prec
	if l.shape == nil {
		return w.Expm1(w.Mul(w.Rat(l.mean), y).Neg()).Neg()
	}
	x := w.Log1p(w.Mul(l.rho, y))
	if l.shape.Sign() == 0 {
		return interval.Clamp(w.Div(x, l.t), 0, 1)
	}
	eta := w.Rat(l.shape).Neg()
	return interval.Clamp(w.Div(w.Expm1(w.Mul(eta, x)), w.Expm1(w.Mul(eta, l.t))), 0, 1)
}

// fall encloses −f″/f′ at 1 − y, as a function of y: (η+1)ρ/(1 + ρy), or m.
func (l Law) fall(y interval.Interval) interval.Interval {
	w := l.prec
	if l.shape == nil {
		return w.Rat(l.mean)
	}
	e := w.Rat(new(big.Rat).Add(l.shape, big.NewRat(1, 1)))
	return w.Div(w.Mul(e, l.rho), w.Add(interval.Int(1), w.Mul(l.rho, y)))
}

// Slope encloses f′(1 − y). It falls with y.
func (l Law) Slope(y interval.Interval) interval.Interval {
	w := l.prec
	if l.shape == nil {
		m := w.Rat(l.mean)
		return w.Mul(m, w.Exp(w.Mul(m, y).Neg()))
	}
	e := w.Rat(new(big.Rat).Add(l.shape, big.NewRat(1, 1)))
	return w.Mul(w.Rat(l.mean), w.Exp(w.Mul(e, w.Log1p(w.Mul(l.rho, y))).Neg()))
}
