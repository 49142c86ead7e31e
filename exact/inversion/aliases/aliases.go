// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package aliases bounds how far a sum of package inversion is off: the terms m ≠ 0 of its (1), and those of the sum
// that are left out. (1), c, d, M, S, T, λ and s_j are those of package inversion.
package aliases

import (
	"math/big"

	"dpverify/exact/interval"
)

var one = interval.Int(1)

// Left bounds the terms m < 0 of (1).
//
// Lemma. All terms of (1) are ≥ 0, and d falls from finite = P(L finite) to 0. With g = e^{−λT},
//
//	Σ_{m<0} e^{λmT}·d(ε + mT) ≤ finite·Σ_{m≥1} g^m = finite·g/(1 − g).
//
// Because d(ε − mT) ≥ d(ε), also S ≥ d(ε)·Σ_{m≥0} g^m, that is d(ε) ≤ S·(1 − g).
//
// The terms of (1), of which m = 0 is wanted:
//
//	at       …  ε − 2T     ε − T    ε    ε + T     ε + 2T   …
//	weight   …  e^{−2λT}   e^{−λT}  1    e^{λT}    e^{2λT}  …
//	d        …  at most P(L finite)      at most c·M(−κ)·e^{−κ(ε + mT)}, see Right
func Left(p interval.Prec, finite interval.Interval, lambda, period *big.Rat) (left, shrink interval.Interval) {
	g := p.Exp(p.Rat(new(big.Rat).Mul(lambda, period)).Neg())
	shrink = p.Sub(one, g)
	return p.Div(p.Mul(finite, g), shrink).Upper(), shrink.Upper()
}

// Markov bounds d(x) = E[(1 − e^{x−L})₊; L finite] by a moment. moment is an upper bound of M(−κ).
//
// Lemma. For κ > 0 and all real u,
//
//	(1 − e^{−u})₊ ≤ c·e^{κu}, c = κ^κ/(1+κ)^{1+κ}.
//
// So with u = L − x, d(x) ≤ c·E[e^{κ(L−x)}; L finite] = c·M(−κ)·e^{−κx}.
//
// Proof. For u < 0 the left side is 0. For u ≥ 0, (1 − e^{−u})·e^{−κu} is largest at e^{−u} = κ/(1+κ), where it is c.
//
// Attained by a loss with the one value L = x + log((1+κ)/κ).
func Markov(p interval.Prec, moment interval.Interval, kappa *big.Rat, x interval.Interval) interval.Interval {
	k := p.Rat(kappa)
	up := p.Add(k, one)
	y := p.Sub(p.Mul(k, p.Log(k)), p.Mul(up, p.Log(up))) // log c
	return p.Mul(moment, p.Exp(p.Sub(y, p.Mul(k, x)))).Upper()
}

// Right bounds the terms m > 0 of (1). moment is an upper bound of M(−κ).
//
// Their weights grow, so it is not enough that d falls.
// With κ > λ, the bound of Markov, and r = e^{−(κ−λ)T},
//
//	Σ_{m≥1} e^{λmT}·d(ε + mT) ≤ c·M(−κ)·e^{−κε}·Σ_{m≥1} r^m = c·M(−κ)·e^{−κε}·r/(1 − r).
func Right(
	p interval.Prec, moment interval.Interval, lambda, kappa, period *big.Rat, eps interval.Interval,
) interval.Interval {
	r := p.Exp(p.Rat(new(big.Rat).Mul(new(big.Rat).Sub(lambda, kappa), period)))
	return p.Div(p.Mul(Markov(p, moment, kappa, eps), r), p.Sub(one, r)).Upper()
}

// LeftOut bounds the terms n < |j| ≤ far of (1)'s left side.
//
// There are two of them for each j, between is at least 2·Σ|M(s_j)/(s_j(s_j − 1))|, and |e^{s_j ε}| = e^{−λε}.
func LeftOut(
	p interval.Prec, between interval.Interval, lambda, period *big.Rat, eps interval.Interval,
) interval.Interval {
	y := p.Mul(between, p.Exp(p.Mul(p.Rat(lambda), eps).Neg()))
	return p.Div(y, p.Rat(period)).Upper()
}

// Truncation bounds the terms |j| > n of (1)'s left side, for n = far.
//
// Lemma. If |M(−λ + it)| ≤ afterFar for |t| ≥ W = nh, then
//
//	(1/T)·Σ_{|j|>n} e^{−λε}·|M(s_j)|/|s_j(s_j−1)| ≤ e^{−λε}·afterFar/(πW).
//
// Proof. |s(s − 1)| ≥ t², there are two terms for each j > n, and 1/T = h/2π.
// So the left side is at most (e^{−λε}·afterFar/π)·Σ_{j>n} h/(jh)².
// As h/(jh)² ≤ ∫_{(j−1)h}^{jh} dt/t², that sum is at most ∫_W^∞ dt/t² = 1/W.
func Truncation(
	p interval.Prec, afterFar interval.Interval, lambda *big.Rat, h interval.Interval, n int, eps interval.Interval,
) interval.Interval {
	y := p.Mul(afterFar, p.Exp(p.Mul(p.Rat(lambda), eps).Neg()))
	return p.Div(y, p.Mul(p.Pi(), p.Mul(interval.Int(int64(n)), h))).Upper()
}
