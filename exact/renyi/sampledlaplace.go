// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// sampledLaplace is the moment of ((1−γ)Q + γP, Q), or of the pair reversed, for Laplace noise, clamped or not:
// with u = P/Q it is E_Q[(1−γ+γu)^a] for a = α, and for a = 1 − α reversed. What Q alone has adds (1−γ)^a of
// its mass, points of the loss add their masses, and what lies between is an integral over v = e^l,
//
//	∫ (1−γ+γe^l)^a·e^(−l/2) dl = ∫ (1−γ+γv)^a·v^(−3/2) dv,
//
// by Taylor's series on pieces of l that are at most 1/2 long (see taylor). It reports false for other pairs. Far
// losses and orders, for which that is too much work, are left to sampledRough.
func sampledLaplace(x pair.Sampled) (LogMoment, bool) {
	if len(x.Base) != 1 || x.Base[0].Count != 1 {
		return nil, false
	}
	base := x.Base[0].Pair
	o, ok := overlapOf(64, base)
	if !ok {
		return nil, false
	}
	rough, ok := sampledRough(x)
	if !ok {
		rough = func(interval.Prec, *big.Rat) interval.Interval { return interval.Entire() }
	}
	pieces := int64(0)
	if o.lo != nil {
		n := new(big.Rat).Sub(o.hi, o.lo)
		if n.Cmp(big.NewRat(maxPieces/2, 1)) > 0 {
			return rough, true
		}
		pieces = floor(n.Add(n, n)).Int64() + 1
	}
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		a := alpha
		if x.Reversed {
			a = minusOne(alpha)
			a.Neg(a)
		}
		size := floor(new(big.Rat).Abs(a))
		if !size.IsInt64() || size.Int64() >= maxTaylorOrder {
			return rough(p, alpha)
		}
		w := p + 64 + interval.Prec(4*size.Int64()+4)
		o, _ := overlapOf(w, base)
		keep, gamma := w.Rat(new(big.Rat).Sub(ratOne, x.Rate)), w.Rat(x.Rate)
		pow := func(g interval.Interval) interval.Interval { return w.Exp(w.Mul(w.Rat(a), w.Log(g))) }
		sum := zero
		if !o.lost.IsZero() {
			sum = w.Mul(pow(keep), o.lost)
		}
		for _, m := range o.points {
			sum = w.Add(sum, w.Mul(m.q, pow(w.Add(keep, w.Mul(gamma, w.Exp(m.loss))))))
		}
		if pieces > 0 {
			h := new(big.Rat).Sub(o.hi, o.lo)
			h.Quo(h, new(big.Rat).SetInt64(pieces))
			eh := w.Expm1(w.Rat(h))
			// tanh(h/2), and the middle (1 + e^h)/2 of [1, e^h]
			two := w.Add(eh, interval.Int(2))
			tau, middle := w.Div(eh, two), w.Scale(two, -1)
			between := zero
			for i := range pieces {
				l := new(big.Rat).Mul(h, new(big.Rat).SetInt64(i))
				v := w.Mul(w.Exp(w.Rat(l.Add(l, o.lo))), middle)
				gv := w.Mul(gamma, v)
				g := w.Add(keep, gv)
				y := w.Mul(pow(g), taylor(w, a, w.Div(gv, g), tau))
				between = w.Add(between, w.Div(y, w.Sqrt(v)))
			}
			sum = w.Add(sum, w.Mul(o.factor, between))
		}
		return p.Round(w.Log(sum))
	}, true
}

// maxPieces bounds the series of an integral, and maxTaylorOrder |a|.
const (
	maxPieces      = 1 << 10
	maxTaylorOrder = 1 << 9
)

// taylor encloses ∫_{−τ}^{τ} y dz for y = (1+βz)^a·(1+z)^(−3/2), 0 ≤ β ≤ 1, 0 < τ ≤ 1/4: what v₀(1+z) makes of
// (1−γ+γv)^a·v^(−3/2) dv, but for the factor (1−γ+γv₀)^a·v₀^(−1/2), where β = γv₀/(1−γ+γv₀).
//
// With b = −3/2, y′·(1+βz)(1+z) = y·(aβ(1+z) + b(1+βz)) is, for the coefficients y_n of y,
//
//	(n+1)·y_{n+1} = (aβ + b − (1+β)n)·y_n + β(a + b − n + 1)·y_{n−1},  y_0 = 1,
//
// and only the terms of even n count: the integral is Σ 2y_n·τ^(n+1)/(n+1). y is analytic on |z| < 1. On the circle of
// radius 3/4, |y| is at most M = 8·(1+3β/4)^a ≤ 8·(7/4)^a for a ≥ 0, and 8·(1−3β/4)^a ≤ 8·4^|a| for a < 0. By Cauchy
// |y_n| ≤ M·(4/3)^n, so that with ρ = 4τ/3 ≤ 1/3 the terms from N on add at most
// 2Mτ·ρ^N·(1 + ρ + …) ≤ 3Mτ·ρ^N.
//
// Width: about 2^−w, relative to the integral, but for what rounding adds; tested.
func taylor(w interval.Prec, a *big.Rat, beta, tau interval.Interval) interval.Interval {
	log2M := interval.Int(3)
	size := w.Rat(new(big.Rat).Abs(a))
	if a.Sign() < 0 {
		log2M = w.Add(log2M, w.Scale(size, 1))
	} else {
		log2M = w.Add(log2M, size) // (7/4)^a ≤ 2^a
	}
	m := w.Exp(w.Mul(log2M, w.Ln2()))
	n := (int64(w)+2*floor(new(big.Rat).Abs(a)).Int64())*2/3 + 2 // ρ^N is about 2^−w/M or less
	b := new(big.Rat).Add(a, big.NewRat(-3, 2))
	sum, last, y := zero, zero, one
	step := w.Sub(w.Mul(w.Rat(a), beta), w.Rat(big.NewRat(3, 2)))
	fall := w.Add(one, beta)
	square := w.Sqr(tau)
	power := w.Scale(tau, 1) // 2τ^(k+1)
	for k := range n {
		if k%2 == 0 {
			sum = w.Add(sum, w.Div(w.Mul(y, power), interval.Int(k+1)))
			power = w.Mul(power, square)
		}
		up := w.Mul(w.Sub(step, w.Mul(fall, interval.Int(k))), y)
		back := w.Mul(w.Mul(beta, w.Rat(new(big.Rat).Add(b, big.NewRat(1-k, 1)))), last)
		last, y = y, w.Div(w.Add(up, back), interval.Int(k+1))
	}
	rho := w.Div(w.Scale(tau, 2), interval.Int(3))
	rest := w.Mul(w.Mul(interval.Int(3), w.Mul(m, tau)), w.PowInt(rho, n))
	return w.Add(sum, interval.Union(rest.Neg(), rest))
}
