// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import "math/big"

// FloorScaled returns ⌊max(0, min(lo(x), 1))·2^prec⌋: for every probability m of x, at most
// m·2^prec. CeilScaled returns ⌈max(0, min(hi(x), 1))·2^prec⌉, at least m·2^prec.
//
// Proof. lo(x) ≤ m and 0 ≤ m ≤ 1, so that m is at least max(0, min(lo(x), 1)), and the floor
// only falls; the other side in the same way. A float of binary exponent e is in
// [2^(e−1), 2^e): with e > 0 it is at least 1, and with e < −prec it is below 2^−prec,
// which the floor takes to 0 and the ceiling to 1. Between, scaling changes the exponent
// only, and the integer part of a positive number is its floor. ∎
//
// Both take memory in proportion to prec and the length of x, whatever the exponents are.
func FloorScaled(x Interval, prec uint) *big.Int {
	lo := x.l()
	switch {
	case lo.Sign() <= 0 || !lo.IsInf() && lo.MantExp(nil) < -int(prec):
		return new(big.Int)
	case lo.IsInf() || lo.MantExp(nil) > 0: // ≥ 1
		return new(big.Int).Lsh(oneInt, prec)
	}
	n, _ := new(big.Float).SetMantExp(lo, int(prec)).Int(nil)
	return n
}

// CeilScaled is FloorScaled from above.
func CeilScaled(x Interval, prec uint) *big.Int {
	hi := x.h()
	switch {
	case hi.Sign() <= 0:
		return new(big.Int)
	case hi.IsInf() || hi.MantExp(nil) > 0: // ≥ 1
		return new(big.Int).Lsh(oneInt, prec)
	case hi.MantExp(nil) < -int(prec):
		return big.NewInt(1)
	}
	n, acc := new(big.Float).SetMantExp(hi, int(prec)).Int(nil)
	if acc != big.Exact {
		n.Add(n, oneInt)
	}
	return n
}

// Pow2 returns 2^k.
func Pow2(k int) *big.Rat {
	n := new(big.Int).Lsh(oneInt, uint(max(k, -k)))
	if k < 0 {
		return new(big.Rat).SetFrac(oneInt, n)
	}
	return new(big.Rat).SetInt(n)
}
