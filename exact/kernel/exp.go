// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package kernel

import (
	"math/big"
	"math/bits"
	"sync"

	"dpverify/exact/words"
)

// expBounds returns what Exp(x, w, −1) does.
func expBounds(x *big.Float, w int) (lo, hi *big.Int, n, v int) {
	if w > MaxWordScale {
		return Exp(x, w, -1)
	}
	a, b, n, v := ExpWords(x, w)
	return a.Big(), b.Big(), n, v
}

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
// encloses e^(U·2^−v), between lo and lo + e. A factor is known by t ≤ e^(…)·2^v < t + 2, and e^(…) and the result are
// below 2. So a product, rounded down, errs by less than 2e + 2·2 + 1: e becomes 2e + 5, twice at most.
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
	for level, digit := range digits {
		if digit > 0 {
			lo.Rsh(t.Mul(lo, realTables.entry(level, digit, v)[0]), uint(v))
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

// MaxWordScale is the greatest scale w of ExpWords: X < 2^(w+62), and the sums of expSeries are below 2^(w+8+65).
const MaxWordScale = words.Bits - 73

// ExpWords returns what Exp(x, w, −1) does: the same integers, computed in words. The proof there holds for them.
//
// Requires: 0 < |x| < 2^30, 8 ≤ w ≤ MaxWordScale.
//
// |X| ≤ |x|·2^(w+32) + 1 ≤ 2^(w+62).
func ExpWords(x *big.Float, w int) (lo, hi words.Int, n, v int) {
	const extra = 32
	X, exact := Magnitude(x, w+extra)
	L := ln2Words(w + extra)
	// |X| = q·L + r, 0 ≤ r < L. L has w + 32 bits, so that m/(l + 1) ≤ |X|/L for the leading bits m and l above 2^w.
	m, l := X.Rsh(w), L.Rsh(w)
	q := m[0] / (l[0] + 1)
	t := words.Small(q)
	t = t.MulRsh(&L, 0)
	r := X.Sub(&t)
	for !r.Less(&L) {
		r = r.Sub(&L)
		q++
	}
	n = int(q)
	if x.Sign() < 0 { // X is rounded down, and so is the quotient
		n = -n
		if !exact {
			t = words.Small(1)
			if r = r.Add(&t); !r.Less(&L) {
				r = words.Int{}
				n--
			}
		}
		if !r.IsZero() {
			r = L.Sub(&r)
			n--
		}
	}

	v = w + tableGuard
	r = r.Rsh(extra - tableGuard)
	U := r.Low(v - 2*tableBits)
	lo, e := expSeriesWords(&U, v)
	for level := range tableLevels {
		d := r.Rsh(v - (level+1)*tableBits)
		if digit := d[0] & (1<<tableBits - 1); digit > 0 {
			t = wordEntry(level, int(digit), v)
			lo = lo.MulRsh(&t, v)
			e = 2*e + 5
		}
	}
	t = words.Small(e)
	hi = lo.Add(&t)
	one := words.Small(1)
	t = lo.Rsh(w)
	lo = lo.Sub(&t)
	lo = lo.Sub(&one)
	t = hi.Rsh(w - 2)
	t = t.Add(&one)
	return lo, hi.Add(&t), n, v
}

// expSeriesWords returns what expSeries(U, v, −1) does.
//
// Requires: U < 2^(v−14), v ≤ MaxWordScale + 8.
func expSeriesWords(U *words.Int, v int) (sum words.Int, e uint64) {
	n, e := termsOf(v, -1)
	m := powersOf(n, 1)
	var power [8]words.Int // v ≤ 447 takes 26 terms, and 6 powers
	power[0], power[1] = words.Power(v), *U
	for i := 2; i <= m; i++ {
		power[i] = power[i-1].MulRsh(U, v)
	}
	c := uint64(1)
	for k := n - 1; ; k-- {
		t := power[k%m].Times(c)
		if sum = sum.Add(&t); k == 0 {
			break
		}
		if k%m == 0 {
			sum = sum.MulRsh(&power[m], v)
		}
		if over, next := bits.Mul64(c, uint64(k)); over == 0 {
			c = next
			continue
		}
		sum, _ = sum.Quo(c)
		c = uint64(k)
	}
	sum, _ = sum.Quo(c)
	return sum, e
}

// Magnitude returns ⌊|f|·2^w⌋, and whether it is |f|·2^w.
//
// Requires: |f|·2^w < 2^words.Bits.
func Magnitude(f *big.Float, w int) (z words.Int, exact bool) {
	var g big.Float
	var n big.Int
	_, accuracy := g.SetMantExp(f, w).Int(&n) // truncated
	z, _ = words.Of(n.Abs(&n))
	return z, accuracy == big.Exact
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

// wordEntry returns the entry of e^x for a scale of words.
func wordEntry(level, digit, v int) words.Int {
	class := tableClass(v)
	table := lesserTable
	if class >= words.Bits/2 {
		table = greaterTable
	}
	return table()[level][digit].Rsh(class - v)
}

var (
	lesserTable  = sync.OnceValue(func() *[tableLevels][1 << tableBits]words.Int { return inWords(words.Bits/2 - 1) })
	greaterTable = sync.OnceValue(func() *[tableLevels][1 << tableBits]words.Int { return inWords(words.Bits - 1) })
)

// inWords returns the tables of e^x of a class in words.
func inWords(class int) (out *[tableLevels][1 << tableBits]words.Int) {
	out = new([tableLevels][1 << tableBits]words.Int)
	for level, values := range realTables.compute(class) {
		for k, x := range values[1:] {
			out[level][k+1], _ = words.Of(x[0])
		}
	}
	return out
}
