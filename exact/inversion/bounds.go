// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"

	"dpverify/exact/interval"
)

// bounds holds what separates the sum of invert from d(ε), for one ε.
type bounds struct {
	left   interval.Interval // the terms m < 0 of (1) are at most this,
	shrink interval.Interval // and d(ε) is at most this times S
	right  interval.Interval // the terms m > 0 are at most this
	cut    interval.Interval // and the terms of the sum left out this in modulus
}

func (l *line) bounds(eps interval.Interval) bounds {
	w := l.prec
	left, shrink := leftAliases(w, l.finite, l.lambda, l.period)
	if t := l.taper; t != nil {
		step := w.Rat(l.lambda)
		left = w.Add(w.Mul(left, t.spread(w, step)), t.blur(w, l.lambda))
		right := rightAliases(w, l.markov, l.lambda, l.farther, l.period, eps)
		end := w.Mul(w.Mul(l.beyond, w.Exp(w.Mul(step, eps).Neg())), t.cut(w, l.step(w), l.far))
		return bounds{
			left: upper(left), right: upper(w.Mul(right, t.spread(w, w.Sub(w.Rat(l.farther), step)))),
			cut: w.Add(leftOut(w, l.between, l.lambda, l.period, eps), end),
		}
	}
	return bounds{
		left: left, shrink: shrink,
		right: rightAliases(w, l.markov, l.lambda, l.farther, l.period, eps),
		cut: w.Add(
			leftOut(w, l.between, l.lambda, l.period, eps),
			truncation(w, l.beyond, l.lambda, l.step(w), l.far, eps)),
	}
}

// leftAliases bounds the terms m < 0 of (1).
//
// Lemma. All terms of (1) are ≥ 0, and d falls from finite = P(L finite) to 0. With g = e^{−λT},
//
//	Σ_{m<0} e^{λmT}·d(ε + mT) ≤ finite·Σ_{m≥1} g^m = finite·g/(1 − g),
//
// and because d(ε − mT) ≥ d(ε), S ≥ d(ε)·Σ_{m≥0} g^m, that is d(ε) ≤ S·(1 − g).
func leftAliases(p interval.Prec, finite interval.Interval, lambda, period *big.Rat) (left, shrink interval.Interval) {
	g := p.Exp(p.Rat(new(big.Rat).Mul(lambda, period)).Neg())
	shrink = p.Sub(one, g)
	return upper(p.Div(p.Mul(finite, g), shrink)), upper(shrink)
}

// markov bounds d(x) = E[(1 − e^{x−L})₊; L finite] by a moment.
//
// Lemma. For κ > 0 and u ≥ 0, (1 − e^{−u})·e^{−κu} is largest at e^{−u} = κ/(1+κ), and
//
//	(1 − e^{−u})₊ ≤ c·e^{κu}, c = κ^κ/(1+κ)^{1+κ}, for all real u.
//
// So with u = L − x, d(x) ≤ c·E[e^{κ(L−x)}; L finite] = c·M(−κ)·e^{−κx}. moment is an upper bound of M(−κ).
func markov(p interval.Prec, moment interval.Interval, kappa *big.Rat, x interval.Interval) interval.Interval {
	k := p.Rat(kappa)
	up := p.Add(k, one)
	y := p.Sub(p.Mul(k, p.Log(k)), p.Mul(up, p.Log(up))) // log c
	return upper(p.Mul(moment, p.Exp(p.Sub(y, p.Mul(k, x)))))
}

// rightAliases bounds the terms m > 0 of (1), whose weights grow, so that it is not enough
// that d falls. With κ = farther > λ, markov, and r = e^{−(κ−λ)T},
//
//	Σ_{m≥1} e^{λmT}·d(ε + mT) ≤ c·M(−κ)·e^{−κε}·Σ_{m≥1} r^m = c·M(−κ)·e^{−κε}·r/(1 − r).
//
// moment is an upper bound of M(−κ).
func rightAliases(p interval.Prec, moment interval.Interval, lambda, farther, period *big.Rat, eps interval.Interval) interval.Interval {
	r := p.Exp(p.Rat(new(big.Rat).Mul(new(big.Rat).Sub(lambda, farther), period)))
	return upper(p.Div(p.Mul(markov(p, moment, farther, eps), r), p.Sub(one, r)))
}

// leftOut bounds the terms n < |j| ≤ far of (1)'s left side, two for each j: between is at least
// 2·Σ|M(s_j)/(s_j(s_j − 1))|, and |e^{s_j ε}| = e^{−λε}.
func leftOut(p interval.Prec, between interval.Interval, lambda, period *big.Rat, eps interval.Interval) interval.Interval {
	y := p.Mul(between, p.Exp(p.Mul(p.Rat(lambda), eps).Neg()))
	return upper(p.Div(y, p.Rat(period)))
}

// truncation bounds the terms |j| > n of (1)'s left side, for n = far.
//
// Lemma. If |M(−λ + it)| ≤ beyond for |t| ≥ W = nh, then because |s(s − 1)| ≥ t² and h/(jh)² ≤
// ∫_{(j−1)h}^{jh} dt/t²,
//
//	(1/T)·Σ_{|j|>n} e^{−λε}·|M(s_j)|/|s_j(s_j−1)| ≤ (e^{−λε}·beyond/π)·Σ_{j>n} h/(jh)² ≤ e^{−λε}·beyond/(πW),
//
// with 1/T = h/2π and two terms for each j > n.
func truncation(p interval.Prec, beyond interval.Interval, lambda *big.Rat, h interval.Interval, n int, eps interval.Interval) interval.Interval {
	y := p.Mul(beyond, p.Exp(p.Mul(p.Rat(lambda), eps).Neg()))
	return upper(p.Div(y, p.Mul(p.Pi(), p.Mul(interval.Int(int64(n)), h))))
}
