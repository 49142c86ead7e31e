// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import "math/big"

// Log returns lo ≤ 2^w·(e·log 2 + log(M·2^−k)) ≤ hi, for 2/3 ≤ M·2^−k ≤ 4/3.
func Log(M *big.Int, k, e, w int) (lo, hi *big.Int) {
	lo, hi = logFixed(M, k, w, -1)
	if e != 0 {
		// e·log 2: |e| < 2^30 times the constant's error 2·2^−(w+32).
		const extra = 32
		L := Ln2(w + extra)
		n := big.NewInt(int64(e))
		a := new(big.Int).Mul(L, n)
		b := new(big.Int).Mul(L.Add(L, big.NewInt(2)), n)
		if e < 0 {
			a, b = b, a
		}
		lo.Add(lo, a.Rsh(a, extra))
		hi.Add(hi, b.Rsh(b, extra))
		hi.Add(hi, oneInt)
	}
	return lo, hi
}

// logSplit is the scale from which logFixed halves the problem.
const logSplit = 224

// logFixed returns lo ≤ 2^w·log(M·2^−k) ≤ hi for 2/3 ≤ M·2^−k ≤ 4/3. The degree
// cuts the series as in Exp.
//
// Above logSplit it takes one Newton-like step: with any dyadic y (here half of
// the digits of log m; its quality affects the cost only) and r = m·e^−y, log m =
// y + log r. Exp encloses e^−y; log r is enclosed by logNearOne.
func logFixed(M *big.Int, k, w, degree int) (lo, hi *big.Int) {
	if w <= logSplit {
		return logSeries(M, k, w, degree)
	}
	h := w/2 + 16
	lo, hi = logFixed(M, k, h, -1)
	y := lo.Rsh(lo.Add(lo, hi), 1)
	if y.Sign() == 0 {
		return logSeries(M, k, w, degree)
	}
	yf := new(big.Float).SetInt(y)
	yf.Neg(yf.SetMantExp(yf, -h))
	elo, ehi, n, v := Exp(yf, w+8, -1)
	// r·2^(v−n+k) ∈ [M·elo, M·ehi]; bring both to scale w, outward.
	elo.Mul(elo, M)
	ehi.Mul(ehi, M)
	shift := v - n + k - w
	elo.Rsh(elo, uint(shift))
	ehi.Rsh(ehi, uint(shift))
	ehi.Add(ehi, oneInt)
	lo, hi = logNearOne(elo, ehi, w, degree)
	y.Lsh(y, uint(w-h))
	return lo.Add(lo, y), hi.Add(hi, y)
}

// logSeries encloses log m = ±2·atanh(z), z = |m − 1|/(m + 1) ≤ 1/5, m = M·2^−k.
//
// Z = ⌊z·2^w⌋, so z·2^w ∈ [Z, Z+1). Write ζ = Z·2^−w and let Z2 = ⌊Z²/2^w⌋, t_0 = Z,
// t_i = ⌊t_{i−1}·Z2/2^w⌋. The true 2^w·ζ^(2i+1) exceeds t_i by e_i with e_0 = 0 and
// e_i < e_{i−1}·ζ² + ζ + 1 ≤ e_{i−1}/25 + 6/5, hence 0 ≤ e_i < 5/4. So the term
// ζ^(2i+1)/(2i+1) exceeds ⌊t_i/(2i+1)⌋ by less than (5/4)/3 + 1 < 3/2, and by less
// than 1 for i = 0. The terms i ≥ N sum to at most ζ^(2N+1)/(1 − ζ²), less than
// (25/24)(t_N + 5/4) < 2t_N + 2. Going from ζ to z adds less than
// (z − ζ)/(1 − z²) ≤ 25/24 < 2 units.
//
// So atanh(z)·2^w ∈ [S, S + (3/2)N + 2t_N + 4) for the sum S of N terms, and twice
// that for the logarithm.
func logSeries(M *big.Int, k, w, degree int) (lo, hi *big.Int) {
	one := new(big.Int).Lsh(oneInt, uint(k))
	t := new(big.Int).Sub(M, one)
	negative := t.Sign() < 0
	t.Lsh(t.Abs(t), uint(w))
	t.Quo(t, one.Add(one, M)) // t_0 = Z
	z2 := new(big.Int).Mul(t, t)
	z2.Rsh(z2, uint(w))
	sum, term, odd, rest := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	n := 0
	for ; n <= degree || degree < 0 && t.Sign() > 0; n++ {
		term.QuoRem(t, odd.SetInt64(int64(2*n+1)), rest)
		sum.Add(sum, term)
		t.Rsh(term.Mul(t, z2), uint(w))
	}
	lo = new(big.Int).Lsh(sum, 1)
	hi = t.Lsh(t, 2) // 2·(2t_N)
	hi.Add(hi, lo)
	hi.Add(hi, odd.SetInt64(int64(3*n+8)))
	if negative {
		lo, hi = hi.Neg(hi), lo.Neg(lo)
	}
	return lo, hi
}

// logNearOne returns lo ≤ 2^w·log r ≤ hi for every r·2^w ∈ [rlo, rhi], r within
// 1/4 of 1.
//
// Let D = rlo − 2^w, d = D·2^−w. log(1 + d) = Σ_{i≥1} (−1)^(i+1) d^i/i. With t_1 = D
// and t_i = t_{i−1}·D/2^w rounded towards zero, |d^i·2^w − t_i| < 4/3 (each step
// multiplies the error by |d| ≤ 1/4 and adds less than 1), so every term t_i/i,
// rounded towards zero, errs by less than (4/3)/i + 1 ≤ 5/3 for i ≥ 2 and is
// exact for i = 1. The terms i > N sum to at most |d|^(N+1)/(1 − |d|) ≤
// (4/3)(|t_{N+1}| + 4/3) < 2|t_{N+1}| + 2 units.
// For r > rlo, log r ≤ log(1 + d) + (r·2^w − rlo)/rlo, and rlo ≥ (3/4)2^w, so that
// the upper end grows by at most 2(rhi − rlo) units.
func logNearOne(rlo, rhi *big.Int, w, degree int) (lo, hi *big.Int) {
	d := new(big.Int).Lsh(oneInt, uint(w))
	d.Sub(rlo, d)
	if d.BitLen() > w-2 {
		panic("interval: internal error: logNearOne far from 1")
	}
	t := new(big.Int).Set(d)
	sum, term, div, rest := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	n := 1
	for ; n <= degree || degree < 0 && t.Sign() != 0; n++ {
		term.QuoRem(t, div.SetInt64(int64(n)), rest)
		if n&1 == 1 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		term.Mul(t, d)
		negative := term.Sign() < 0
		if t.Rsh(term.Abs(term), uint(w)); negative {
			t.Neg(t)
		}
	}
	// Terms 1..n−1 are summed and t = t_n is the first left out.
	bound := t.Abs(t)
	bound.Lsh(bound, 1)
	bound.Add(bound, div.SetInt64(int64(2*n+2)))
	lo = new(big.Int).Sub(sum, bound)
	hi = sum.Add(sum, bound)
	div.Sub(rhi, rlo)
	hi.Add(hi, div.Lsh(div, 1))
	return lo, hi
}
