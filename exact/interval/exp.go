// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"

	"dpverify/exact/words"
)

// Exp returns an enclosure of e^x.
//
// Width: a point argument gives hi/lo − 1 ≤ 2^(2−p); tested, not proved.
func (p Prec) Exp(x Interval) Interval {
	p.check()
	return p.increasing(x, p.expPoint)
}

// increasing encloses a non-decreasing f on x from enclosures at the endpoints.
func (p Prec) increasing(x Interval, f func(*big.Float) Interval) Interval {
	lo := f(x.l())
	if x.IsPoint() {
		return lo
	}
	return Interval{lo.lo, f(x.h()).hi}
}

// decreasing encloses a non-increasing f on x.
func (p Prec) decreasing(x Interval, f func(*big.Float) Interval) Interval {
	at := f(x.h())
	if x.IsPoint() {
		return at
	}
	return Interval{at.lo, f(x.l()).hi}
}

// expBounds returns what expFixed(x, w, −1) does.
func expBounds(x *big.Float, w int) (lo, hi *big.Int, n, v int) {
	if w > maxWordScale {
		return expFixed(x, w, -1)
	}
	a, b, n, v := expWords(x, w)
	return a.Big(), b.Big(), n, v
}

// maxExpArg is the exponent from which e^x leaves the range on either side:
// |x| ≥ 2^29 gives e^|x| > 2^MaxExp because log2 e > 1.
const maxExpArg = 30

// expPoint encloses e^x for one number x, possibly infinite.
//
// For |x| < 2^−(p+4): 1 + x ≤ e^x ≤ 1 + x + x² ≤ 1 + x ± |x|/8 (all |x| ≤ 1/8),
// so e^x lies between 1 + x and 1 + 2x or 1 + x/2.
func (p Prec) expPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Int(1)
	case x.Sign() < 0 && (x.IsInf() || x.MantExp(nil) >= maxExpArg):
		return Interval{zeroFloat, up.smallest()}
	case x.IsInf() || x.MantExp(nil) >= maxExpArg:
		return Interval{up.largest(), up.infinity()}
	case x.MantExp(nil) < -int(p)-4:
		k := 1
		if x.Sign() < 0 {
			k = -1
		}
		return Interval{p.add(down, oneFloat, x), p.add(up, oneFloat, new(big.Float).SetMantExp(x, k))}
	}
	w := int(p) + 12
	if w <= maxWordScale {
		lo, hi, n, v := expWords(x, w)
		return p.fromWords(lo, hi, v-n)
	}
	lo, hi, n, v := expFixed(x, w, -1)
	return p.fromFixed(lo, hi, v-n)
}

// expFixed returns lo, hi, n, v with lo ≤ e^x·2^(v−n) ≤ hi, where 2^(v−1) < lo
// up to the error, and hi − lo a few units of 2^(v−w). The Taylor sum is cut at
// the given degree, or where its terms vanish for degree < 0; the remainder is
// added either way.
//
// Requires: 0 < |x| < 2^30, w ≥ 8.
//
// Reduction. Let X = ⌊x·2^(w+32)⌋ and L = ⌊log 2·2^(w+32)⌋ up to the error of
// constant.fixed: X ≤ x·2^(w+32) < X + 1 and L ≤ log 2·2^(w+32) < L + 2. With n =
// ⌊X/L⌋ and R = X − n·L ∈ [0, L), the number r = x − n·log 2 satisfies
// r·2^(w+32) = R + (x·2^(w+32) − X) − n(log 2·2^(w+32) − L) ∈ R + (−2|n|, 2|n| + 1).
// Here |n| ≤ |X|/L + 1 < 2^31, as L > 0.69·2^(w+32) − 2. So with T = ⌊R/2^32⌋:
// r·2^w ∈ (T − 1, T + 1 + 1 + 2^−32) ⊂ (T − 1, T + 3).
//
// Series. With s halvings, u = T·2^−(w+s) exactly, in scale v = w + s, and 0 ≤ u
// < 2^−s·log 2. expSeries encloses e^u; squaring the enclosure s times, rounding
// down below and up above, encloses e^(u·2^s) = e^(T/2^w).
//
// Argument error. e^(r − T/2^w) lies in (1 − 2^−w, 1 + 4·2^−w) because e^−y ≥ 1−y
// and e^(3y) ≤ 1 + 4y for y = 2^−w ≤ 1/16.
func expFixed(x *big.Float, w, degree int) (lo, hi *big.Int, n, v int) {
	const extra = 32
	X := fixedFloor(x, w+extra)
	L := ln2Constant.fixed(w + extra)
	q, R := new(big.Int), new(big.Int)
	q.DivMod(X, L, R) // Euclidean: R ≥ 0
	n = int(q.Int64())
	T := R.Rsh(R, extra)

	s := expHalvings(w)
	v = w + s
	lo, hi = expSeries(T, v, degree)
	t := new(big.Int)
	for range s {
		t.Mul(lo, lo)
		lo.Rsh(t, uint(v))
		t.Mul(hi, hi)
		hi.Rsh(t, uint(v))
		hi.Add(hi, oneInt) // ⌊y⌋ + 1 ≥ y
	}
	t.Rsh(lo, uint(w))
	lo.Sub(lo, t)
	lo.Sub(lo, oneInt) // lo·(1 − 2^−w), rounded down
	t.Rsh(hi, uint(w-2))
	hi.Add(hi, t)
	hi.Add(hi, oneInt) // hi·(1 + 4·2^−w), rounded up
	return lo, hi, n, v
}

// expHalvings balances the number of squarings against the number of terms.
func expHalvings(w int) int {
	s := 6
	for s*s < w && s < 64 {
		s++
	}
	return s - 4
}

// expSeries returns lo ≤ e^u·2^v ≤ hi for u = U·2^−v ∈ [0, 1/2], from the Taylor
// sum of the given degree or, for degree < 0, from all terms that do not vanish.
//
// Let τ_i = 2^v·u^i/i! be the true terms and T_i = ⌊T_{i−1}·U/(i·2^v)⌋ the computed
// ones, T_0 = τ_0 = 2^v. With e_i = τ_i − T_i: e_0 = 0 and 0 ≤ e_i < e_{i−1}·u/i + 1
// ≤ e_{i−1}/2 + 1, so 0 ≤ e_i < 2. Hence 0 ≤ Σ_{i≤N} τ_i − Σ T_i < 2N.
// The terms left out satisfy Σ_{i>N} τ_i ≤ τ_{N+1}·Σ 2^−j = 2τ_{N+1} < 2T_{N+1} + 4.
func expSeries(U *big.Int, v, degree int) (lo, hi *big.Int) {
	term := new(big.Int).Lsh(oneInt, uint(v))
	lo = new(big.Int).Set(term)
	t, d := new(big.Int), new(big.Int)
	next := func(i int) { // term = T_i
		t.Mul(term, U)
		t.Rsh(t, uint(v))
		term.Quo(t, d.SetInt64(int64(i)))
	}
	i := 1
	for next(i); i <= degree || degree < 0 && term.Sign() > 0; next(i) {
		lo.Add(lo, term)
		i++
	}
	// Terms 0..i−1 are summed and term = T_i is the first left out.
	hi = new(big.Int).Lsh(term, 1)
	hi.Add(hi, lo)
	hi.Add(hi, d.SetInt64(int64(2*(i-1)+4)))
	return lo, hi
}

// fixedFloor returns ⌊f·2^w⌋ for a finite f. It allocates in proportion to
// max(0, w + exponent of f) + its precision.
func fixedFloor(f *big.Float, w int) *big.Int {
	var g big.Float
	n, accuracy := g.SetMantExp(f, w).Int(nil) // truncated
	if accuracy == big.Above {
		n.Sub(n, oneInt)
	}
	return n
}

// maxWordScale is the greatest scale w of expWords: X < 2^(w+62), and expFixed's v + 2, are at most words.Bits.
const maxWordScale = words.Bits - 62

// expWords returns what expFixed(x, w, −1) does: the same integers, computed in words. The proof there holds for them.
//
// Requires: 0 < |x| < 2^30, 8 ≤ w ≤ maxWordScale.
//
// |X| ≤ |x|·2^(w+32) + 1 ≤ 2^(w+62).
func expWords(x *big.Float, w int) (lo, hi words.Int, n, v int) {
	const extra = 32
	X, exact := magnitude(x, w+extra)
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
	T := r.Rsh(extra)

	s := expHalvings(w)
	v = w + s
	lo, terms := expSeriesWords(&T, v)
	t = words.Small(2*terms + 4)
	hi = lo.Add(&t)
	one := words.Small(1)
	for range s {
		lo = lo.MulRsh(&lo, v)
		hi = hi.MulRsh(&hi, v)
		hi = hi.Add(&one)
	}
	t = lo.Rsh(w)
	lo = lo.Sub(&t)
	lo = lo.Sub(&one)
	t = hi.Rsh(w - 2)
	t = t.Add(&one)
	return lo, hi.Add(&t), n, v
}

// expSeriesWords returns the sum of expSeries(U, v, −1), the lower bound, and the number of its terms besides the
// first.
//
// Requires: U ≤ 2^(v−1), v ≤ words.Bits − 2.
func expSeriesWords(U *words.Int, v int) (sum words.Int, terms uint64) {
	term := words.Power(v)
	sum = term
	for i := uint64(1); ; i++ {
		term = term.MulRsh(U, v)
		if term, _ = term.Quo(i); term.IsZero() {
			return sum, i - 1
		}
		sum = sum.Add(&term)
	}
}

// magnitude returns ⌊|f|·2^w⌋, and whether it is |f|·2^w.
//
// Requires: |f|·2^w < 2^words.Bits.
func magnitude(f *big.Float, w int) (z words.Int, exact bool) {
	var g big.Float
	var n big.Int
	_, accuracy := g.SetMantExp(f, w).Int(&n) // truncated
	z, _ = words.Of(n.Abs(&n))
	return z, accuracy == big.Exact
}
