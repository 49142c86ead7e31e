// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import "dpverify/exact/fraction"

// sinCosErr bounds the error of sinCos.
const sinCosErr = 40

// sinCos returns sin(r)/2 and cos(r)/2 within 40 ulps, and k, for r = x − k·π/4 and x = n + f. r is in (0,
// octants/256).
//
// Requires: −2^20 ≤ n < 2^20.
//
// Reduction as in exp, with 4/π in the place of 1/log 2: 2^−41 < r < π/4·(1 + 2^−18). The error of r, less than 2 ulps,
// counts for less than 1 in either half.
//
// r = α + β + u with α and β of 8 bits, and γ = β + u. With v = 1 − cos and s = sin, s(u) is within 6.1 ulps and v(u)
// within 9.1, see small. All products count 6 ulps, the entries of tables 1:
//
//	s(γ) = s(β) + s(u) − s(β)v(u) − s(u)v(β)    1 + 6.1 + 6.1 + 6.1 < 20
//	v(γ) = v(β) + v(u) − v(β)v(u) + s(β)s(u)    1 + 9.1 + 6.1 + 6.1 < 23
//	cos(r)/2 = c − c·v(γ) − s·s(γ)              1 + (6 + 23/2 + 2^−16) + (6 + 20/2 + 2^−7) < 36
//	sin(r)/2 = s − s·v(γ) + c·s(γ)              the same
//
// for the halves c and s of cos α and sin α.
func sinCos(n int64, f frac) (half turn, k int64) {
	const inverse = 1399941684380 // ⌊2^40·4/π⌋
	k = (n*inverse + int64(fraction.MulHi(f.Hi, inverse)) - 1<<20 - 1) >> 40
	r := fraction.Times(uint64(max(k, -k)), &quarterPi).F
	if k < 0 {
		r = fraction.Add(f, r)
	} else {
		r = fraction.Sub(f, r)
	}
	a, b := &turnTable[r.Hi>>56], &smallTurns[r.Hi>>48&255]
	u := smallTurn(fraction.Make(r.Hi&(1<<48-1), r.Mi, r.Lo))
	s := fraction.Sub(fraction.Sub(fraction.Add(b.sin, u.sin), fraction.Mul(b.sin, u.cos)), fraction.Mul(u.sin, b.cos))
	v := fraction.Add(fraction.Sub(fraction.Add(b.cos, u.cos), fraction.Mul(b.cos, u.cos)), fraction.Mul(b.sin, u.sin))
	half.cos = fraction.Sub(fraction.Sub(a.cos, fraction.Mul(a.cos, v)), fraction.Mul(a.sin, s))
	half.sin = fraction.Add(fraction.Sub(a.sin, fraction.Mul(a.sin, v)), fraction.Mul(a.cos, s))
	return half, k
}

// smallTurn returns sin u within 6.1 ulps and 1 − cos u within 9.1.
//
// Requires: u < 2^−16.
//
// With z = u², low by < 6 ulps: sin u = u − u·z·A and 1 − cos u = z·B for A = 1/3! − z/5! + … and B = 1/2! − z/4! + ….
// By Horner's rule A and B are within 7.01 ulps: 1 for the coefficient, 6 for the product, and z times the level
// before. z·A is within 6/6 + 6 + 2^−28 ulps, and u times that within 6.01; u¹¹/11! < 2^−201 is left out. z·B is within
// 6/2 + 6 + 2^−29, and z⁶/12! < 2^−220 is left out.
func smallTurn(u frac) turn {
	z := fraction.Mul(u, u)
	a, b := sinCoefficients[0], cosCoefficients[0]
	for _, c := range sinCoefficients[1:] {
		a = fraction.Sub(c, fraction.Mul(z, a))
	}
	for _, c := range cosCoefficients[1:] {
		b = fraction.Sub(c, fraction.Mul(z, b))
	}
	return turn{fraction.Sub(u, fraction.Mul(u, fraction.Mul(z, a))), fraction.Mul(z, b)}
}

// SinCos returns enclosures of sin x and cos x, absolutely as good as x is known, up to 2^−185. They are Unknown for
// |x| ≥ 2^20.
//
// x = k·π/4 + r. An odd k is one turn by π/4 more, (c, s) to (c − s, c + s)/√2, and the rest are turns by π/2.
// An error of the argument of r ulps is one of at most r/2 ulps of a half.
func (w Three) SinCos(x Real) (sin, cos Real) {
	n, f, r, ok := x.split()
	if !ok {
		return Unknown(), Unknown()
	}
	half, k := sinCos(n, f)
	s, c := pack(false, half.sin, sinCosErr+r, 1), pack(false, half.cos, sinCosErr+r, 1)
	if k&1 != 0 {
		root := pack(false, rootHalf, 1, 0)
		s, c = w.Mul(w.Add(c, s), root), w.Mul(w.Sub(c, s), root)
	}
	switch k >> 1 & 3 {
	case 1:
		return c, s.Neg()
	case 2:
		return s.Neg(), c.Neg()
	case 3:
		return c.Neg(), s
	}
	return s, c
}
