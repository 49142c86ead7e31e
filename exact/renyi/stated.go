// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/exact/pair"
)

// stated returns the least bound of R_α, α > 0, that follows from a guarantee in Rényi divergences, and false where
// none does, or x is none.
//
// Let g(α) = (α − 1)·R_α(P‖Q) = log M(α). It is convex, and g(0), g(1) ≤ 0. A guarantee is one of both orientations,
// and Σ p^α·q^(1−α) is the sum of (Q, P) at 1 − α. So for 0 < α < 1, and R_β ≤ v of both orientations,
//
//	R_α ≤ v                                   for β ≥ α, as R_α rises with α;
//	R_α ≤ v·α/(1 − α)                         for β ≥ 1 − α, as (1 − α)·R_α(P‖Q) = α·R_{1−α}(Q‖P), which is at most α·v;
//	R_α ≤ v·α/(1 − α)·(1 − β)/β               for β ≤ α, as g(β) ≤ (β/α)·g(α) by convexity and g(0) ≤ 0;
//	R_α ≤ v·(1 − β)/β                         for β ≤ 1 − α, by the last two.
//
// Above 1, g is at most its chord between two orders, and beyond the last one nothing is known.
func stated(x pair.Pair, alpha *big.Rat) (*big.Rat, bool) {
	switch x := x.(type) {
	case pair.ZCDP:
		if alpha.Cmp(ratOne) > 0 {
			r := new(big.Rat).Mul(alpha, x.Rho)
			return r.Add(r, x.Xi), true
		}
		r := new(big.Rat).Add(x.Rho, x.Xi) // the limit at orders above 1
		return r.Mul(r, belowOne(alpha, ratOne)), true
	case pair.RenyiCurve:
		if alpha.Cmp(ratOne) > 0 {
			return chordOf(x, alpha)
		}
		var least *big.Rat
		for i, b := range x.Orders {
			if f := belowOne(alpha, b); f != nil {
				if r := f.Mul(f, x.Values[i]); least == nil || r.Cmp(least) < 0 {
					least = r
				}
			}
		}
		return least, least != nil
	}
	return nil, false
}

// belowOne returns the least c for which R_β ≤ v implies R_α ≤ c·v, α ≤ 1, by one of the four rules; nil for α = 1 and
// β < 1.
func belowOne(alpha, beta *big.Rat) *big.Rat {
	var least *big.Rat
	rule := func(c *big.Rat) {
		if least == nil || c.Cmp(least) < 0 {
			least = c
		}
	}
	if beta.Cmp(alpha) >= 0 {
		rule(new(big.Rat).Set(ratOne))
	}
	rest := new(big.Rat).Sub(ratOne, alpha)
	if rest.Sign() == 0 {
		return least
	}
	odds := new(big.Rat).Quo(alpha, rest)
	if beta.Cmp(rest) >= 0 {
		rule(odds)
	}
	other := new(big.Rat).Quo(new(big.Rat).Sub(ratOne, beta), beta)
	if beta.Cmp(alpha) <= 0 {
		rule(new(big.Rat).Mul(odds, other))
	}
	if beta.Cmp(rest) <= 0 {
		rule(other)
	}
	return least
}

// chordOf is the bound at an order above 1.
func chordOf(c pair.RenyiCurve, alpha *big.Rat) (*big.Rat, bool) {
	from, g := ratOne, new(big.Rat)
	for i, b := range c.Orders {
		at := new(big.Rat).Mul(minusOne(b), c.Values[i])
		if b.Cmp(alpha) >= 0 {
			t := new(big.Rat).Quo(new(big.Rat).Sub(alpha, from), new(big.Rat).Sub(b, from))
			y := new(big.Rat).Sub(at, g)
			y.Add(y.Mul(y, t), g)
			return y.Quo(y, minusOne(alpha)), true
		}
		if b.Cmp(ratOne) > 0 {
			from, g = b, at
		}
	}
	return nil, false
}
