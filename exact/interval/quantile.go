// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"math"
	"math/big"
)

// NormalQuantile returns an enclosure of Φ⁻¹(x), the value below which a standard normal variable is with
// the probability x; −∞ for 0, ∞ for 1, and [−∞, ∞] for an x outside of [0, 1].
//
// Width: about 2^(8−p) of it, or of 1; tested. What Newton's method proposes is enclosed only after Φ at both ends was
// compared with x.
func (p Prec) NormalQuantile(x Interval) Interval {
	p.check()
	if x.Negative() == True || Int(1).Less(x) == True {
		return Entire()
	}
	lo, hi := p.quantilePoint(x.Lower()), p.quantilePoint(x.Upper())
	return Bounds(lo.Lo(), hi.Hi())
}

// quantilePoint is the quantile at a point.
func (p Prec) quantilePoint(x Interval) Interval {
	switch {
	case x.Positive() != True:
		return NegInf()
	case x.LessEq(Int(0)) == True || Int(1).LessEq(x) == True:
		return PosInf()
	}
	half := p.Scale(Int(1), -1)
	switch {
	case half.Less(x) == True:
		rest := (2*p + 64).Sub(Int(1), x)
		return Bounds(p.upperTail(rest.Upper()).Lo(), p.upperTail(rest.Lower()).Hi())
	case x.Less(half) == True:
		return p.upperTail(x).Neg()
	}
	return Int(0)
}

// upperTail encloses the t ≥ 0 with 1 − Φ(t) = y, for a point 0 ≤ y ≤ 1/2.
//
// 1 − Φ(t) ≤ e^(−t²/2)/2 gives 0 ≤ t ≤ √(−2·log 2y). Newton's method goes for log(1 − Φ(t)) = log y, which falls
// and is concave.
func (p Prec) upperTail(y Interval) Interval {
	w := p + 32
	if y.Positive() != True {
		return PosInf()
	}
	logY := w.Log(y)
	top := w.Sqrt(w.Scale(w.Add(logY, w.Ln2()), 1).Neg().AtLeastZero()).Upper()
	t := w.Scale(top, -1).Upper()
	if s, ok := startOfTail(y); ok {
		t = s
	}
	rootTwoPi := w.Sqrt(w.Scale(w.Pi(), 1))
	for range 64 {
		tail := w.NormalSF(t)
		density := w.Div(w.Exp(w.Scale(w.Sqr(t), -1).Neg()), rootTwoPi)
		step := w.Div(w.Mul(w.Sub(w.Log(tail), logY), tail), density)
		next := Min(Max(w.Mid(w.Add(t, step)), Int(0)), top)
		next = w.Mid(next)
		if !next.IsFinite() {
			break
		}
		small := w.Scale(Max(Int(1), next), -int(p)-4)
		near := w.Sub(next, t).Abs().LessEq(small) == True
		t = next
		if near {
			break
		}
	}
	for margin := -int(p) - 3; margin < 0; margin += 8 {
		r := w.Scale(Max(Int(1), t), margin)
		low, high := Max(w.Sub(t, r), Int(0)).Lower(), w.Add(t, r).Upper()
		if (low.IsZero() || y.LessEq(w.NormalSF(low)) == True) && w.NormalSF(high).LessEq(y) == True {
			return Bounds(p.Round(low).Lo(), p.Round(high).Hi())
		}
	}
	return Bounds(Int(0).Lo(), top.Hi())
}

// startOfTail is about the t with 1 − Φ(t) = y > 0, where float64 knows it.
func startOfTail(y Interval) (Interval, bool) {
	const bits = 52
	mantissa := new(big.Float)
	exp := y.Lo().MantExp(mantissa)
	if exp < -1000 {
		return Interval{}, false
	}
	n, _ := new(big.Float).SetMantExp(mantissa, bits).Int64()
	t := math.Sqrt2 * math.Erfcinv(2*min(math.Ldexp(float64(n), exp-bits), 0.5))
	frac, e := math.Frexp(max(0, t))
	return Point(new(big.Float).SetMantExp(new(big.Float).SetInt64(int64(math.Ldexp(frac, bits))), e-bits)), true
}
