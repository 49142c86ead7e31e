// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/path"
	"dpverify/exact/selection"
)

// repeatedBits is the precision of what the moments of a selection grow by.
const repeatedBits = 128

// repeated bounds the moments of the best of several runs. With the places of outputs of exact/selection,
//
//	M′(λ) = P(K = 0) + ∫ f′(1 − y)^λ·f′(1 − y′)^(1−λ)·dP^λ·dQ^(1−λ)
//	      ≤ P(K = 0) + sup_y f′(1 − y)^λ·f′(1 − B(y))^(1−λ)·M(λ), λ > 1.
//
// R_λ rises with λ: the least bound of a greater order is one too. Theorem 2 of Papernot & Steinke 2022 is the same
// with the product of the greatest f′(1 − y) and of the greatest (f′(1 − y)/f′(1 − B(y)))^(λ−1).
func repeated(x pair.RepeatedDivergence) (LogMoment, bool) {
	base, ok := Moments(x.Of.Base)
	if !ok || InfiniteLoss(x.Of.Base) != interval.False {
		return nil, false
	}
	law, ok := selection.NewLaw(repeatedBits, x.Of.Mean, x.Of.Shape)
	if !ok {
		return nil, false
	}
	bound := selection.NewBound(law, renyiChords(x.Of.Base.Reverse(), x.Of.Mean))
	paths := path.Of(x.Of, law, base)
	orNone := func(p interval.Prec, m interval.Interval) interval.Interval {
		if none := law.None(); !none.IsZero() {
			if top := interval.Max(m, zero); top.IsFinite() {
				m = p.Add(top, p.Log(p.Add(p.Exp(p.Sub(m, top)), p.Mul(none, p.Exp(top.Neg())))))
			}
		}
		return m
	}
	one := func(p interval.Prec, alpha *big.Rat) interval.Interval {
		return orNone(p, p.Add(base(p, alpha), bound.Moment(alpha)))
	}
	atPowers := Remembered(one)
	return func(p interval.Prec, alpha *big.Rat) interval.Interval {
		b := minusOne(alpha)
		if b.Sign() <= 0 {
			return interval.Union(interval.NegInf(), posInf)
		}
		best := interval.Min(one(p, alpha), orNone(p, paths(alpha))).Upper()
		for k := -4; k <= 12; k++ {
			over := interval.Pow2(k)
			if over.Cmp(b) <= 0 {
				continue
			}
			y := p.Mul(atPowers(p, new(big.Rat).Add(ratOne, over)), p.Rat(new(big.Rat).Quo(b, over)))
			best = interval.Min(best, y.Upper())
		}
		return interval.Max(zero, best)
	}, true
}

// repeatedGreatest bounds the greatest loss of the best of several runs: the greatest loss of one, and what every loss
// grows by.
func repeatedGreatest(p interval.Prec, x pair.RepeatedDivergence) interval.Interval {
	law, ok := selection.NewLaw(repeatedBits, x.Of.Mean, x.Of.Shape)
	top := Of(x.Of.Base)(p, Infinity)
	if !ok || !top.IsFinite() {
		return unknown
	}
	back := renyiChords(x.Of.Base.Reverse(), x.Of.Mean)
	return interval.Union(zero, p.Add(top, selection.NewBound(law, back).Growth(back)))
}

// renyiChords bounds Q(S) by P(S): Q(S) ≤ (e^R·P(S))^θ with R = R_λ(Q‖P) and θ = 1 − 1/λ, by Hölder's inequality.
// This is concave in P(S), so it is at most each of its tangents.
func renyiChords(back pair.Product, mean *big.Rat) []selection.Chord {
	const w = interval.Prec(repeatedBits + 32)
	f := Of(back)
	var out []selection.Chord
	if top := f(w, Infinity).Upper(); top.IsFinite() {
		out = append(out, selection.Chord{Slope: w.Exp(top), More: zero})
	}
	depth := 8 + mean.Num().BitLen() - mean.Denom().BitLen()
	for k := -3; k <= 10; k++ {
		lambda := new(big.Rat).Add(ratOne, interval.Pow2(k))
		r := f(w, At(lambda)).Upper()
		if !r.IsFinite() {
			continue
		}
		theta := new(big.Rat).Quo(minusOne(lambda), lambda)
		for i := range depth {
			at := w.Mul(w.Rat(theta), w.Add(r, w.Mul(interval.Int(int64(-i)), w.Ln2()))) // log of the value at 2^−i
			value := w.Exp(at)
			out = append(out, selection.Chord{Slope: w.Mul(w.Rat(theta), w.Scale(value, i)),
				More: w.Mul(value, w.Rat(new(big.Rat).Inv(lambda)))})
		}
	}
	return out
}
