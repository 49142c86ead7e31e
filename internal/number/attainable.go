// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package number

import "math/big"

// maxAttainableBits is the precision up to which e^ε is told from 1 − δ. A point that is
// nearer to the limit than that counts as attainable: what follows from it stays true.
const maxAttainableBits = 1 << 15

// Attainable reports whether some pair of distributions has δ(ε) ≤ delta: whether delta ≥ (1 − e^ε)₊. No
// profile is lower, because it is P(S) − e^ε·Q(S) or more for the set S of all outcomes.
//
// Requires: 0 ≤ delta ≤ 1.
func Attainable(eps, delta *big.Rat) bool {
	one := big.NewRat(1, 1)
	x := new(big.Rat).Neg(eps)
	c := new(big.Rat).Sub(one, delta)
	if x.Sign() <= 0 || c.Sign() <= 0 {
		return true
	}
	// c > 2^−m, so e^−x ≥ c takes x < m·log 2 < m.
	m := int64(c.Denom().BitLen() - c.Num().BitLen() + 1)
	if x.Cmp(new(big.Rat).SetInt64(m)) >= 0 {
		return false
	}
	limit := new(big.Rat).Inv(c) // e^x ≤ 1/c
	if new(big.Rat).Add(one, x).Cmp(limit) >= 0 {
		return false // 1 + x < e^x; a tiny x would take many bits below
	}
	for prec := uint(64); prec <= maxAttainableBits; prec *= 4 {
		if lo := expBound(x, prec, big.ToNegativeInf); lo.Cmp(bound(limit, prec, big.ToPositiveInf)) > 0 {
			return false
		}
		if hi := expBound(x, prec, big.ToPositiveInf); hi.Cmp(bound(limit, prec, big.ToNegativeInf)) <= 0 {
			return true
		}
	}
	return true
}

// bound rounds a number in a direction.
func bound(x *big.Rat, prec uint, mode big.RoundingMode) *big.Float {
	return new(big.Float).SetPrec(prec).SetMode(mode).SetRat(x)
}

// expBound returns a bound of e^x, x ≥ 0, on the side of mode.
//
// With y = x/2^k ≤ 1, e^y is Σ y^i/i! over i < n and a rest between 0 and 2·y^n/n!, since
// each later term is at most half of the one before it. All terms are positive: what is
// rounded to one side at each step stays there, and squaring k times keeps it there.
func expBound(x *big.Rat, prec uint, mode big.RoundingMode) *big.Float {
	k := new(big.Int).Quo(x.Num(), x.Denom()).BitLen()
	y := bound(new(big.Rat).Quo(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(k)))), prec, mode)
	float := func(i int64) *big.Float { return new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(i) }
	sum, term := float(0), float(1)
	for i := int64(1); term.Sign() > 0 && term.MantExp(nil) > -int(prec); i++ {
		sum.Add(sum, term)
		term.Quo(term.Mul(term, y), float(i))
	}
	if mode == big.ToPositiveInf {
		sum.Add(sum, term.Add(term, term))
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}
