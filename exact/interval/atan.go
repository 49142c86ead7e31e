// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math/big"

	"dpverify/exact/kernel"
)

// Atan returns an enclosure of arctan x.
//
// Width: a point argument gives a relative width ≤ 2^(4−p); tested, not proved.
func (p Prec) Atan(x Interval) Interval {
	p.check()
	return p.increasing(x, p.atanPoint)
}

// atanPoint encloses arctan x for one x, possibly infinite.
//
// arctan is odd, and arctan x = π/2 − arctan(1/x) for x > 1. For 0 < x < 2^−(p/2+3):
// x − x³ ≤ arctan x ≤ x. Otherwise arctan x = 2·arctan(x/(1 + √(1 + x²))) halves the
// argument three times, from at most 1 = tan(π/4) to at most tan(π/32) < 1/8, and the
// series is summed at a scale raised by −log2 x.
func (p Prec) atanPoint(x *big.Float) Interval {
	switch {
	case x.Sign() == 0:
		return Interval{}
	case x.Sign() < 0:
		return p.atanPoint(new(big.Float).Neg(x)).Neg()
	case x.IsInf():
		y := p.Scale(p.Pi(), -1)
		return Interval{y.l(), y.h()}
	case x.Cmp(oneFloat) > 0:
		q := p + 4
		return p.Sub(q.Scale(q.Pi(), -1), q.Atan(q.Inv(Interval{x, x})))
	}
	z := -x.MantExp(nil) // 2^−(z+1) ≤ x < 2^−z
	if 2*z > int(p)+6 {
		return Interval{p.add(down, x, new(big.Float).Neg(p.mul(up, x, p.mul(up, x, x)))), p.set(up, x)}
	}
	q := p + 16
	t := Interval{x, x}
	for range 3 {
		t = q.Div(t, q.Add(Int(1), q.Sqrt(q.Add(Int(1), q.Sqr(t)))))
	}
	w := int(q) + z
	lo, _ := atanSeries(kernel.Floor(t.l(), w), w, -1)
	_, hi := atanSeries(new(big.Int).Add(kernel.Floor(t.h(), w), oneInt), w, -1)
	return p.fromFixed(lo, hi, w-3)
}

// atanSeries returns lo ≤ 2^w·arctan t ≤ hi for t = T·2^−w, 0 ≤ t ≤ 1/4. The degree
// cuts the series as in expSeries.
//
// Let τ_i = 2^w·t^(2i+1) be the true powers and T_i = ⌊T_{i−1}·⌊T²/2^w⌋/2^w⌋, T_0 = T. As
// in logSeries, with t² ≤ 1/16 the error e_i = τ_i − T_i satisfies e_0 = 0 and e_i <
// e_{i−1}/16 + 1/4 + 1, hence 0 ≤ e_i < 4/3. The term τ_i/(2i+1) differs from ⌊T_i/(2i+1)⌋ by less
// than (4/3)/3 + 1 < 3/2, and not at all for i = 0. What is left out is an alternating
// series of falling terms, so at most its first term τ_N/(2N+1) ≤ T_N + 4/3.
func atanSeries(T *big.Int, w, degree int) (lo, hi *big.Int) {
	t2 := new(big.Int).Mul(T, T)
	t2.Rsh(t2, uint(w))
	t := new(big.Int).Set(T)
	sum, term, odd := new(big.Int), new(big.Int), new(big.Int)
	n := 0
	for ; n <= degree || degree < 0 && t.Sign() > 0; n++ {
		term.Quo(t, odd.SetInt64(int64(2*n+1)))
		if n&1 == 0 {
			sum.Add(sum, term)
		} else {
			sum.Sub(sum, term)
		}
		t.Rsh(term.Mul(t, t2), uint(w))
	}
	bound := t.Add(t, odd.SetInt64(int64(2*n+2))) // (3/2)(n − 1) + 4/3 < 2n + 2
	lo = new(big.Int).Sub(sum, bound)
	return lo, sum.Add(sum, bound)
}
