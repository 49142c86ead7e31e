// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// A TradeOff returns an enclosure of f(x) = T[P, Q](x), 0 ≤ x ≤ 1: the least type II error of a
// test of P against Q, P being the null hypothesis, whose type I error is at most x. f
// is convex and falls from at most 1 to 0, and f(x) ≤ 1 − x. The error is ctx's.
type TradeOff func(ctx context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error)

var ratOne = big.NewRat(1, 1)

// ToTradeOff returns the trade-off function of (P, Q) from its profile δ: with c(a) = 1 −
// H_a(Q‖P) − ax,
//
//	f(x) = sup_{a ≥ 0} c(a), c(e^−ε) = e^−ε·(1 − δ(ε) − x)
//
// [Zhu, Dong & Wang 2022, Lemma 21 corrected: the divergence under the first term is of
// Q from P. Dong, Roth & Su 2022, Proposition 2.12]. Proof: H_a(Q‖P) = sup_φ E_Q[φ] − aE_P[φ] =
// sup_x (1 − f(x)) − ax, and f is convex and continuous; H_a(Q‖P) = 1 − a + a·H_{1/a}(P‖Q).
//
// c is concave with c(0) = 0, and not positive for a ≥ 1/x; for x = 0 it rises to f(0), which
// is bounded by the a that are tried, and by 1.
func ToTradeOff(profile Func) TradeOff {
	return func(ctx context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error) {
		if x.Cmp(ratOne) >= 0 {
			return interval.Int(0), nil
		}
		rest := new(big.Rat).Sub(ratOne, x)
		last := int(p) / 2 // half of the bits are left to the value there
		end := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(last)))
		if x.Sign() > 0 {
			end = new(big.Rat).Inv(x)
			last = end.Num().BitLen() - end.Denom().BitLen() + 1
		}
		grid := []*big.Rat{new(big.Rat)}
		for k := min(last-64, -16); k <= last; k += 4 {
			if a := interval.Pow2(k); a.Cmp(end) < 0 {
				grid = append(grid, a)
			}
		}
		grid = append(grid, end)
		// c takes a times the precision of δ.
		w := p + 32 + interval.Prec(max(0, last))
		y, err := supremum(ctx, p, grid, func(a *big.Rat) (interval.Interval, error) {
			if a.Sign() == 0 {
				return interval.Int(0), nil
			}
			d, err := profile(ctx, w, logOf(a).Neg())
			if err != nil {
				return interval.Entire(), err
			}
			y := w.Mul(w.Rat(a), w.Sub(w.Rat(rest), d))
			if x.Sign() > 0 && a == end {
				y = interval.Min(y, interval.Int(0))
			}
			return y, nil
		})
		if err != nil {
			return unit, err
		}
		top := p.Rat(rest)
		if x.Sign() == 0 {
			return interval.Bounds(interval.Max(y, interval.Int(0)).Lo(), interval.Int(1).Hi()), nil
		}
		return interval.Min(interval.Max(y, interval.Int(0)), top), nil
	}
}

// logOf is log r, r > 0.
func logOf(r *big.Rat) interval.Real {
	return func(w interval.Prec) interval.Interval { return w.Log(w.Rat(r)) }
}
