// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import "math/big"

// Circle returns c, s, e, v with |(c + i·s)·2^−v − e^{ix}| ≤ e·2^−v; e is a few
// units of 2^(v−w). The Taylor sum is cut at the given degree as in Exp.
//
// Requires: x ≠ 0, w ≥ 8, and degree < 0 or w < 48.
//
// Reduction. Let |x| < 2^z with z ≥ 0, w′ = w + 32 + z, X = ⌊x·2^w′⌋ and H = ⌊(π/2)·2^w′⌋ up
// to the error of constant.fixed: H ≤ (π/2)·2^w′ < H + 2. With n = ⌊X/H⌋ and R = X − n·H ∈
// [0, H), the number r = x − n·π/2 satisfies r·2^w′ ∈ R + (−2|n|, 2|n| + 1). Here |n| ≤
// |X|/H + 1 ≤ 2^z + 2, so |r·2^w′ − R| < 2^(z+1) + 5 < 2^(z+4). With v = w + 8 and T = ⌊R/2^(24+z)⌋,
// r·2^v ∈ (T − 2^−20, T + 1 + 2^−20), hence |r − T·2^−v| < 2·2^−v.
//
// Tables. T·2^−v = i/2^7 + j/2^14 + U·2^−v exactly, with digits i < 202 and j < 128, and U < 2^(v−14). expiSeries
// encloses e^{iU·2^−v} in a disc of radius e. A factor errs by less than 2 units. If ζ̃ errs by ε ≤ e, its product with
// it errs by less than 2·(1 + e·2^−v) + e, and rounding both parts down adds less than √2: e becomes at most
// e + ⌊2e·2^−v⌋ + 5.
//
// Argument error. |e^{ir} − e^{iT·2^−v}| ≤ |r − T·2^−v| < 2·2^−v. At last e^{ix} = i^n·e^{ir}, exactly.
func Circle(x *big.Float, w, degree int) (c, s, e *big.Int, v int) {
	extra := 32 + max(0, x.MantExp(nil))
	X := Floor(x, w+extra)
	H := Pi(w + extra - 1)
	q, R := new(big.Int), new(big.Int)
	q.DivMod(X, H, R) // Euclidean: R ≥ 0

	v = w + tableGuard
	U, digits := digitsOf(R.Rsh(R, uint(extra-tableGuard)), v)
	c, s, e = expiSeries(U, v, degree)
	t := new(big.Int)
	table, scale := circleTables.of(v)
	for level, digit := range digits {
		if digit > 0 {
			factor := table[level][digit]
			c, s = timesRounded(c, s, factor[0], factor[1], scale)
			e.Add(e, t.Rsh(e, uint(v-1)))
			e.Add(e, fiveInt)
		}
	}
	e.Add(e, twoInt)
	switch new(big.Int).And(q, threeInt).Int64() {
	case 1:
		c, s = s.Neg(s), c
	case 2:
		c, s = c.Neg(c), s.Neg(s)
	case 3:
		c, s = s, c.Neg(c)
	}
	return c, s, e, v
}

var twoInt, threeInt, fiveInt = big.NewInt(2), big.NewInt(3), big.NewInt(5)

// expiSeries returns c, s, e with |(c + i·s)·2^−v − e^{iu}| ≤ e·2^−v for u = U·2^−v ∈ [0, 2^−14],
// from the Taylor sum of the given degree or of all terms but those that are less than a unit for degree < 0.
//
// The sums of terms of e^u by k mod 4 are those of e^{iu} but for i^k. So each part is a difference of two numbers that
// are low by less than 8. What is left out is less than e − 8 together, for e of expSums: an error below
// 8·√2 + e − 8 < e + 4.
func expiSeries(U *big.Int, v, degree int) (c, s, e *big.Int) {
	sums, most := expSums(U, v, degree, 4)
	c, s = sums[0].Sub(sums[0], sums[2]), sums[1].Sub(sums[1], sums[3])
	return c, s, new(big.Int).SetUint64(most + 4)
}

// circleTables are those of e^{ix} for x < π/2 < 202/2^7.
var circleTables = expTables{
	size: 202,
	first: func(U *big.Int, v int) []*big.Int {
		c, s, _ := expiSeries(U, v, -1)
		return []*big.Int{c, s}
	},
	times: func(x, y []*big.Int, v int) []*big.Int {
		c, s := timesRounded(x[0], x[1], y[0], y[1], uint(v))
		return []*big.Int{c, s}
	},
}

// timesRounded returns the parts of (a + ib)·(c + id)·2^−v, rounded down.
func timesRounded(a, b, c, d *big.Int, v uint) (re, im *big.Int) {
	t := new(big.Int)
	re, im = new(big.Int).Mul(a, c), new(big.Int).Mul(a, d)
	re.Sub(re, t.Mul(b, d))
	im.Add(im, t.Mul(b, c))
	return re.Rsh(re, v), im.Rsh(im, v)
}
