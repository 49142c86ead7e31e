// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "math/big"

// composed encloses δ(ε) of the copies of Laplace noise (docs/checker.md, theorem 5), to about W
// bits, and raises W: with s the shift, k the count and u_m = ((k − 2m)s − ε)/2,
//
//	δ(ε) = e^(−u_0)·2^(1−k)·Σ_{m: u_m > 0} C(k, m)·Σ_{n≥1} f_(n−1)·u_m^n/n!,
//
// f_n being the coefficients of (1−z)^(m−1)·(1+z)^(k−m−1), by (1−z²)·f' = (k − 2m − (k−2)z)·f. The powers are rounded
// down, and what is missing is at most missing·2^(−p) at the end, which is proved there as well.
func (f *factor) composed(eps *big.Rat) iv {
	k, p := f.count, W+40
	u := new(big.Rat).Mul(f.shift, big.NewRat(k, 1))
	u.Sub(u, eps).Mul(u, big.NewRat(1, 2)) // u_m
	top := new(big.Rat).Set(u)
	size, _ := top.Float64()
	size = max(size, 0)
	long := float64(p) + 1.5*size + 2*float64(k) // bits, at most
	terms := min(float64(k), long+6*size)
	words := (long + float64(top.Denom().BitLen())) / 64
	spend((float64(k)*terms + long + 6*size) * (150 + 2*words + words*words/8))

	sum, missing := new(big.Int), new(big.Int)
	choose, x, y := big.NewInt(1), new(big.Int), new(big.Int)
	for m := int64(0); m <= k && u.Sign() > 0; m++ {
		more := uint(choose.BitLen()) // bits of u_m^n/n!, 2^−p/C(k, m) being fine enough
		least, _ := u.Float64()
		power := floorDiv(x.Lsh(u.Num(), p+more), u.Denom()) // u_m^n/n!
		now, before, inner := big.NewInt(1), new(big.Int), new(big.Int)
		n := int64(1)
		for ; power.Sign() > 0 || float64(n) < 2.01*least; n++ {
			inner.Add(inner, x.Mul(now, power))
			if n == k-1 && m > 0 && m < k {
				break // f is a polynomial of degree k − 2
			}
			before.Mul(before, x.SetInt64(k-n))
			x.Mul(now, y.SetInt64(k-2*m))
			x.Sub(x, before)
			now, before = before.Quo(x, y.SetInt64(n)), now
			x.Mul(power, u.Num())
			power.Quo(x, y.Mul(u.Denom(), y.SetInt64(n+1)))
		}
		inner.Mul(inner, choose)
		sum.Add(sum, inner.Rsh(inner, more))
		missing.Add(missing, big.NewInt((n+1)*(n+1)))
		choose.Quo(choose.Mul(choose, x.SetInt64(k-m)), y.SetInt64(m+1))
		u.Sub(u, f.shift)
	}
	setPrecision(p + uint(1.5*size) + 32)
	if top.Sign() <= 0 {
		return integer(0)
	}
	d := fraction(sum, p+uint(k)-1).mul(rational(new(big.Rat).Neg(top)).exp())
	return d.widen(fraction(missing, p).hi).max(integer(0))
}
