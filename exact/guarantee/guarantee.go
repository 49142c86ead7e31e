// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package guarantee has pairs that satisfy a guarantee. What violates a claim for one of them refutes that the
// guarantee implies the claim. The first of two is built from a Gaussian and the second from randomized response;
// neither is the worst case, so a gap to the upper bounds remains.
package guarantee

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// ZCDP has pairs of (ξ, ρ)-zCDP: the Gaussian with μ² = 2ρ has R_α = ρα. Pure ε-DP implies R_α ≤ ε²α/2
// [Bun & Steinke 2016, Proposition 3.3], so randomized response with ε = √(2ρ)
// satisfies ρ-zCDP, and with ε = ξ it has R_α ≤ ξ; Rényi divergences add. √(2ρ) is
// rounded down.
func ZCDP(e mechanism.ZCDP) []pair.Product {
	rho2 := new(big.Rat).Add(e.Rho, e.Rho)
	w := make([]pair.Product, 2)
	if e.Rho.Sign() > 0 {
		w[0] = pair.Copies(pair.Gaussian{Mu2: rho2}, 1)
		w[1] = pair.Copies(pair.Response{Eps: pair.SqrtBelow(rho2), Delta: new(big.Rat)}, 1)
	}
	if e.Xi.Sign() > 0 {
		xi := pair.Term{Pair: pair.Response{Eps: e.Xi, Delta: new(big.Rat)}, Count: 1}
		w[0], w[1] = append(w[0], xi), append(w[1], xi).Merged()
	}
	return w
}

// RenyiCurve has pairs with listed divergences: the Gaussian has R_α = αμ²/2; randomized response has R_α ≤
// min(ε, ε²α/2), for α < 1 too: log M(α) = (α − 1)R_α is 0 at 0 and 1, and its second derivative, the
// variance of a loss within ±ε, is at most ε². Each parameter is the largest that respects all listed orders,
// rounded down.
func RenyiCurve(e mechanism.RenyiCurve) []pair.Product {
	var mu2, eps *big.Rat
	for i, a := range e.Orders {
		m := new(big.Rat).Quo(e.Values[i], a) // 2·value/α
		m.Add(m, m)
		if mu2 == nil || m.Cmp(mu2) < 0 {
			mu2 = m
		}
		s := pair.SqrtBelow(m)
		if s.Cmp(e.Values[i]) < 0 {
			s = e.Values[i]
		}
		if eps == nil || s.Cmp(eps) < 0 {
			eps = s
		}
	}
	w := make([]pair.Product, 2)
	if mu2.Sign() > 0 {
		w[0] = pair.Copies(pair.Gaussian{Mu2: mu2}, 1)
	}
	if eps.Sign() > 0 {
		w[1] = pair.Copies(pair.Response{Eps: eps, Delta: new(big.Rat)}, 1)
	}
	return w
}
