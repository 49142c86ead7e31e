// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
)

// FromProfile encloses R_α(P‖Q), α ≠ 1, from the profiles of (P, Q) and (Q, P) by sums over cells of
// [0, last]:
//
//	M(α) = 1 + α(α−1)·∫_0^∞ e^((α−1)t)·δ_{P|Q}(t) + e^(−αt)·δ_{Q|P}(t) dt, R_α = log M(α)/(α − 1)
//
// [Balle, Barthe & Gaboardi 2018, Theorem 6; Zhu, Dong & Wang 2022, Lemma 24 corrected: printed,
// α + 1 stands for α − 1, which is αR_{α+1}]. M counts an infinite loss too: it is ∞ for
// α > 1 if there is one.
//
// Each profile falls, so that it lies between its values at the ends of a cell, over which
// the weight is integrated exactly. Beyond last the profiles are at most their values
// there; for α > 1 the bound is finite only if δ_{P|Q}(last) = 0.
//
// The error is ctx's.
func FromProfile(ctx context.Context, p interval.Prec, forth, back profile.Func, alpha, last *big.Rat, cells int) (interval.Interval, error) {
	w := p + 32
	b := minusOne(alpha)
	minus := new(big.Rat).Neg(alpha)
	width := new(big.Rat).Quo(last, new(big.Rat).SetInt64(int64(cells)))
	sum := zero
	var f0, g0 interval.Interval
	for i := 0; i <= cells; i++ {
		t := new(big.Rat).Mul(width, new(big.Rat).SetInt64(int64(i)))
		f, err := forth(ctx, w, interval.RealRat(t))
		if err != nil {
			return unknown, err
		}
		g, err := back(ctx, w, interval.RealRat(t))
		if err != nil {
			return unknown, err
		}
		if i > 0 {
			from := new(big.Rat).Sub(t, width)
			sum = w.Add(sum, w.Mul(interval.Union(f0, f), weight(w, b, from, t)))
			sum = w.Add(sum, w.Mul(interval.Union(g0, g), weight(w, minus, from, t)))
		}
		f0, g0 = f, g
	}
	// ∫_last^∞ e^(−αt) dt = e^(−α·last)/α, and for α < 1 the same with 1 − α.
	tail := func(d interval.Interval, rate *big.Rat) interval.Interval {
		e := w.Exp(w.Rat(new(big.Rat).Mul(rate, last)).Neg())
		return interval.Union(zero, w.Mul(d, w.Div(e, w.Rat(rate))))
	}
	sum = w.Add(sum, tail(g0, alpha))
	switch {
	case b.Sign() < 0:
		sum = w.Add(sum, tail(f0, new(big.Rat).Neg(b)))
	case !f0.IsZero():
		sum = interval.Bounds(sum.Lo(), posInf.Hi())
	}
	m := w.Mul(w.Rat(new(big.Rat).Mul(alpha, b)), sum)
	if b.Sign() < 0 && interval.Int(-1).Less(m) != interval.True {
		// M ≥ 0 only: no bound of its logarithm from below.
		top := w.Div(interval.Entire(), w.Rat(b))
		return atLeastZero(top), nil
	}
	return p.Round(atLeastZero(w.Div(w.Log1p(m), w.Rat(b)))), nil
}

// weight is ∫_from^to e^(ct) dt.
func weight(w interval.Prec, c, from, to *big.Rat) interval.Interval {
	d := new(big.Rat).Sub(to, from)
	start := w.Exp(w.Rat(new(big.Rat).Mul(c, from)))
	return w.Mul(start, w.Div(w.Expm1(w.Rat(d.Mul(d, c))), w.Rat(c)))
}
