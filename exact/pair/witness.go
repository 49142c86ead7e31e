// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"

	"dpverify/mechanism"
)

// Witnesses are pairs that satisfy a guarantee: what violates a claim for one of
// them refutes that the guarantee implies the claim. The first of two is built
// from a Gaussian and the second from randomized response; neither is the worst
// case, so a gap to the upper bounds remains.

// zcdpWitnesses: the Gaussian with μ² = 2ρ has R_α = ρα. Pure ε-DP implies R_α ≤ ε²α/2
// [Bun & Steinke 2016, Proposition 3.3], so randomized response with ε = √(2ρ)
// satisfies ρ-zCDP, and with ε = ξ it has R_α ≤ ξ; Rényi divergences add. √(2ρ) is
// rounded down.
func zcdpWitnesses(e mechanism.ZCDP) []Product {
	rho2 := new(big.Rat).Add(e.Rho, e.Rho)
	w := make([]Product, 2)
	if e.Rho.Sign() > 0 {
		w[0] = Product{{Gaussian{Mu2: rho2}, 1}}
		w[1] = Product{{Response{sqrtDown(rho2), new(big.Rat)}, 1}}
	}
	if e.Xi.Sign() > 0 {
		xi := Term{Response{e.Xi, new(big.Rat)}, 1}
		w[0], w[1] = append(w[0], xi), append(w[1], xi).Merged()
	}
	return w
}

// renyiWitnesses: the Gaussian has R_α = αμ²/2; randomized response has R_α ≤
// min(ε, ε²α/2), for α < 1 too: log M(α) = (α − 1)R_α is 0 at 0 and 1, and its second derivative, the
// variance of a loss within ±ε, is at most ε². Each parameter is the largest that respects all listed orders,
// rounded down.
func renyiWitnesses(e mechanism.RenyiCurve) []Product {
	var mu2, eps *big.Rat
	for i, a := range e.Orders {
		m := new(big.Rat).Quo(e.Values[i], a) // 2·value/α
		m.Add(m, m)
		if mu2 == nil || m.Cmp(mu2) < 0 {
			mu2 = m
		}
		s := sqrtDown(m)
		if s.Cmp(e.Values[i]) < 0 {
			s = e.Values[i]
		}
		if eps == nil || s.Cmp(eps) < 0 {
			eps = s
		}
	}
	w := make([]Product, 2)
	if mu2.Sign() > 0 {
		w[0] = Product{{Gaussian{Mu2: mu2}, 1}}
	}
	if eps.Sign() > 0 {
		w[1] = Product{{Response{eps, new(big.Rat)}, 1}}
	}
	return w
}

// sqrtDown returns a rational just below √x: the integer square root at 2^−192.
func sqrtDown(x *big.Rat) *big.Rat {
	const bits = 192
	n := new(big.Int).Lsh(x.Num(), 2*bits)
	n.Quo(n, x.Denom())
	return new(big.Rat).SetFrac(n.Sqrt(n), new(big.Int).Lsh(big.NewInt(1), bits))
}
