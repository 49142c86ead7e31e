// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Extended encloses ε of the extended moments accountant at delta by the listed orders α =
// 1 + λ, for products with infinite losses: with W the mass of infinite loss of the
// product and Γ(λ) = log E_P[e^(λL) | L < ∞],
//
//	δ = W + e^(Γ(λ) − λε)
//
// [Sommer, Abfalterer, Zingg & Mohammadi 2021, Proposition 17: W = 1 − (1 − w)^n and Γ is n times that of a factor,
// normalised by the mass of finite loss]. Proof: δ(ε) ≤ P(L > ε) ≤ W + (1 − W)·P(L > ε | L < ∞), and Markov.
//
// Tight drops the normalisation: (1 − W)·e^Γ = M is enough.
//
// It reports false if a factor's moments are not known, and is ∞ for delta ≤ W.
func Extended(p interval.Prec, prod pair.Product, delta interval.Interval, orders []*big.Rat, tight bool) (Converted, bool) {
	moment, ok := Moments(prod)
	if !ok || prod.IsGuarantee() {
		return Converted{Interval: posInf}, false
	}
	w := p + 32
	finite := zero // log(1 − W)
	for _, t := range prod {
		f, ok := logFinite(w, t.Pair)
		if !ok {
			return Converted{Interval: posInf}, false
		}
		finite = w.Add(finite, w.Mul(interval.Int(t.Count), f))
	}
	left := w.Add(delta, w.Expm1(finite)) // δ − W
	if left.Positive() != interval.True {
		return Converted{Interval: posInf}, true
	}
	need := w.Log(left).Neg()
	if !tight {
		need = w.Sub(need, finite)
	}
	best := Conversion{}.least(w, orders, func(v interval.Prec, alpha *big.Rat) interval.Interval {
		return v.Div(v.Add(moment(v, alpha), need), v.Rat(minusOne(alpha)))
	})
	best.Interval = p.Round(best.Interval)
	return best, true
}
