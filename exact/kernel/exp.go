// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import "math/big"

// Exp returns lo, hi, n, v with lo ≤ e^x·2^(v−n) ≤ hi, where 2^v ≤ lo up to the error, and hi − lo a few units of
// 2^(v−w). The Taylor sum is cut at the given degree, or where the terms left out are less than a unit for degree < 0.
//
// Requires: 0 < |x| < 2^30, w ≥ 8, and degree < 0 or w < 48.
//
// Reduction. Let X = ⌊x·2^(w+32)⌋ and L = ⌊log 2·2^(w+32)⌋ up to the error of
// constant.fixed: X ≤ x·2^(w+32) < X + 1 and L ≤ log 2·2^(w+32) < L + 2. With n =
// ⌊X/L⌋ and R = X − n·L ∈ [0, L), the number r = x − n·log 2 satisfies
// r·2^(w+32) = R + (x·2^(w+32) − X) − n(log 2·2^(w+32) − L) ∈ R + (−2|n|, 2|n| + 1).
// Here |n| ≤ |X|/L + 1 < 2^31, as L > 0.69·2^(w+32) − 2. So with v = w + 8 and T = ⌊R/2^24⌋:
// r·2^v ∈ (T − 2^8, T + 1 + 2^8 + 2^−24), and r − T·2^−v ∈ (−2^−w, 3·2^−w).
//
// Tables. T·2^−v = i/2^7 + j/2^14 + U·2^−v exactly, with digits i < 89 and j < 128, and U < 2^(v−14). expSeries
// encloses e^(U·2^−v), between lo and lo + e. A factor is low by less than 2 units of 2^−v, see compute, and e^(…) and
// the result are below 2. So a product, rounded down, errs by less than 2e + 2·2 + 1: e becomes 2e + 5, twice at most.
//
// Argument error. e^(r − T/2^v) lies in (1 − 2^−w, 1 + 4·2^−w) because e^−y ≥ 1−y
// and e^(3y) ≤ 1 + 4y for y = 2^−w ≤ 1/16.
func Exp(x *big.Float, w, degree int) (lo, hi *big.Int, n, v int) {
	const extra = 32
	X := Floor(x, w+extra)
	L := Ln2(w + extra)
	q, R := new(big.Int), new(big.Int)
	q.DivMod(X, L, R) // Euclidean: R ≥ 0
	n = int(q.Int64())
	v = w + tableGuard
	U, digits := digitsOf(R.Rsh(R, extra-tableGuard), v)
	lo, e := expSeries(U, v, degree)
	t := new(big.Int)
	table, scale := realTables.of(v)
	for level, digit := range digits {
		if digit > 0 {
			lo.Rsh(t.Mul(lo, table[level][digit][0]), scale)
			e = 2*e + 5
		}
	}
	hi = new(big.Int).Add(lo, t.SetUint64(e))
	t.Rsh(lo, uint(w))
	lo.Sub(lo, t)
	lo.Sub(lo, oneInt) // lo·(1 − 2^−w), rounded down
	t.Rsh(hi, uint(w-2))
	hi.Add(hi, t)
	hi.Add(hi, oneInt) // hi·(1 + 4·2^−w), rounded up
	return lo, hi, n, v
}

// Floor returns ⌊f·2^w⌋ for a finite f. It allocates in proportion to
// max(0, w + exponent of f) + its precision.
func Floor(f *big.Float, w int) *big.Int {
	var g big.Float
	n, accuracy := g.SetMantExp(f, w).Int(nil) // truncated
	if accuracy == big.Above {
		n.Sub(n, oneInt)
	}
	return n
}

// realTables are those of e^x for x < log 2 < 89/2^7.
var realTables = expTables{
	size: 89,
	first: func(U *big.Int, v int) []*big.Int {
		sum, _ := expSeries(U, v, -1)
		return []*big.Int{sum}
	},
	times: func(x, y []*big.Int, v int) []*big.Int {
		z := new(big.Int).Mul(x[0], y[0])
		return []*big.Int{z.Rsh(z, uint(v))}
	},
}
