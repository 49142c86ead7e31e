// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "math/big"

// composed encloses δ(ε) of the copies of Laplace noise (docs/checker.md, theorem 5), to about W bits, and raises W:
// with s the shift, k the count and u_m = ((k − 2m)s − ε)/2,
//
//	δ(ε) = e^(−u_0)·2^(1−k)·Σ_{m: u_m > 0} C(k, m)·Σ_{n≥1} f_(n−1)·u_m^n/n!,
//
// f_n being the coefficients of (1−z)^(m−1)·(1+z)^(k−m−1), by (1−z²)·f' = (k − 2m − (k−2)z)·f, up to two in a row that
// are 0. Powers are rounded down to units of 2^(−p−k), and the sums end at one that is 0, from 2u_m on; at most (n +
// 2)·2^(−p) of δ is missing then.
func (l laplace) composed(k int64, eps *big.Rat) iv {
	p, choose := W+40, big.NewInt(1)
	top := new(big.Rat).Mul(l.shift, big.NewRat(k, 1))
	top.Sub(top, eps).Mul(top, big.NewRat(1, 2)) // u_0
	size, _ := top.Float64()
	more := float64(k) + 1.5*max(size, 0)
	spend(float64(k) * more * more / 10) // and what is done, below
	u, sum, longest := new(big.Rat).Set(top), new(big.Int), int64(0)
	for m := int64(0); m <= k && u.Sign() > 0; m++ {
		power := floorDiv(new(big.Int).Lsh(u.Num(), p+uint(k)), u.Denom()) // u_m^n/n!
		now, before, inner, n := big.NewInt(1), new(big.Int), new(big.Int), int64(1)
		for ; (now.Sign() != 0 || before.Sign() != 0) && (power.Sign() != 0 || u.Cmp(big.NewRat(n, 2)) > 0); n++ {
			spendProduct(power.BitLen(), now.BitLen()+u.Denom().BitLen()+500)
			next := new(big.Int)
			inner.Add(inner, next.Mul(now, power))
			next.Sub(next.Mul(now, big.NewInt(k-2*m)), before.Mul(before, big.NewInt(k-n)))
			now, before = next.Quo(next, big.NewInt(n)), now
			power.Quo(power.Mul(power, u.Num()), new(big.Int).Mul(u.Denom(), big.NewInt(n+1)))
		}
		longest = max(longest, n)
		sum.Add(sum, inner.Mul(inner, choose))
		choose.Quo(choose.Mul(choose, big.NewInt(k-m)), big.NewInt(m+1))
		u.Sub(u, l.shift)
	}
	setPrecision(p + uint(1.5*max(size, 0)) + 32)
	d := fraction(sum, p+uint(2*k)-1).mul(rational(top.Neg(top)).exp())
	missing := fraction(big.NewInt(longest+2), p)
	return iv{d.sub(missing).lo, d.add(missing).hi}.max(integer(0))
}
