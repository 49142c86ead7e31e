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
// c is concave with c(0) = 0, c(a) ≤ min(a·(1 − x), 1 − ax), and not positive for a ≥ 1/x; for x = 0 it rises to f(0),
// which is bounded by the a that are tried, and by 1.
func ToTradeOff(profile Func) TradeOff { return ToTradeOffBits(profile, 1<<20) }

// ToTradeOffBits is ToTradeOff to about so many leading bits.
func ToTradeOffBits(profile Func, bits int) TradeOff {
	return func(ctx context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error) {
		if x.Cmp(ratOne) >= 0 {
			return interval.Int(0), nil
		}
		rest := new(big.Rat).Sub(ratOne, x)
		last := int(p) / 2 // half of the bits are left to the value there
		if x.Sign() > 0 {
			end := new(big.Rat).Inv(x)
			last = end.Num().BitLen() - end.Denom().BitLen() + 1
		}
		// c takes a times the precision of δ: next to 1/x it is open where x is tiny, and only there.
		w := min(p+32+interval.Prec(max(0, last)), maxTradeOff)
		c := func(a *big.Rat) (interval.Interval, error) {
			if err := ctx.Err(); err != nil {
				return interval.Entire(), err
			}
			d, err := profile(ctx, w, logOf(a).Neg())
			if err != nil {
				return interval.Entire(), err
			}
			return w.Mul(w.Rat(a), w.Sub(w.Rat(rest), d)), nil
		}
		if x.Sign() == 0 {
			greatest := interval.Int(0)
			for k := 0; k <= last; k += 4 {
				y, err := c(interval.Pow2(k))
				if err != nil {
					return unit, err
				}
				greatest = interval.Max(greatest, y)
			}
			return interval.Bounds(greatest.Lo(), interval.Int(1).Hi()), nil
		}
		s := &concave{w: p + 32, g: c, above: func(lo, hi *big.Rat) interval.Interval {
			falling := new(big.Rat).Mul(lo, x)
			return interval.Min(w.Rat(new(big.Rat).Mul(hi, rest)), w.Rat(falling.Sub(ratOne, falling)))
		}}
		atEnd := interval.Union(interval.Int(-1), interval.Int(0)) // −1 = −ax ≤ c ≤ 0
		s.insert(0, new(big.Rat), interval.Int(0))
		s.insert(1, new(big.Rat).Inv(x), atEnd)
		if err := s.surround(-int(p), last-2); err != nil {
			return unit, err
		}
		y, err := supremum(p, bits, 400, s)
		if err != nil {
			return unit, err
		}
		return interval.Min(interval.Max(y, interval.Int(0)), p.Rat(rest)), nil
	}
}

// maxTradeOff bounds the precision: no profile is known to so many bits.
const maxTradeOff = 1 << 15

// logOf is log r, r > 0.
func logOf(r *big.Rat) interval.Real {
	return func(w interval.Prec) interval.Interval { return w.Log(w.Rat(r)) }
}
