// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
)

// A Guarantee is R_α ≤ Value in both orientations, α > 0, α ≠ 1.
type Guarantee struct{ Order, Value *big.Rat }

// TradeOff returns the trade-off function that Rényi guarantees imply, by way of the
// divergences of binary tests [Balle et al. 2020; Zhu, Dong & Wang 2022, F.1]: a test of type
// I error x and type II error y is a post-processing, so that for α > 1
//
//	E_α(x, 1−y) ≤ e^((α−1)R) and E_α(1−y, x) ≤ e^((α−1)R), E_α(a, b) = a^α·b^(1−α) + (1−a)^α·(1−b)^(1−α),
//
// and ≥ for α < 1. The least y that satisfies all of them, which is f(x), is found by
// bisection: as y falls from 1 − x, where both are 1, to 0 the tests become easier to tell
// apart and both E rise, or fall for α < 1.
//
// Every mechanism with the guarantees has at least this f, so only its lower bounds are
// bounds; the enclosure is of the function itself.
func TradeOff(gs []Guarantee) profile.TradeOff {
	return func(ctx context.Context, p interval.Prec, x *big.Rat) (interval.Interval, error) {
		if x.Cmp(ratOne) >= 0 || len(gs) == 0 {
			return zero, nil
		}
		w := p + 32
		lo, hi := new(big.Rat), new(big.Rat).Sub(ratOne, x) // violates, satisfies
		if satisfies(w, gs, x, lo) == interval.True {
			return zero, nil
		}
		if x.Sign() == 0 {
			// Only y = 1 has a finite divergence for α > 1; else the bisection decides.
			for _, g := range gs {
				if g.Order.Cmp(ratOne) > 0 {
					return one, nil
				}
			}
		}
		y, err := halved(ctx, p, lo, hi, func(m *big.Rat) interval.Truth { return satisfies(w, gs, x, m) })
		return p.Round(y), err
	}
}

// halved encloses where at turns from false to true between lo and hi, to about p bits or as far as at tells.
func halved(ctx context.Context, p interval.Prec, lo, hi *big.Rat, at func(*big.Rat) interval.Truth) (
	interval.Interval, error) {
	told := true
	for n := 0; n < int(p)+8 && told; n++ {
		if err := ctx.Err(); err != nil {
			return profile.Unit(), err
		}
		m := renyi.Middle(lo, hi)
		switch at(m) {
		case interval.True:
			hi = m
		case interval.False:
			lo = m
		default:
			told = false
		}
	}
	return interval.Union((p + 32).Rat(lo), (p + 32).Rat(hi)), nil
}

// satisfies answers whether errors x and y respect all guarantees.
func satisfies(w interval.Prec, gs []Guarantee, x, y *big.Rat) interval.Truth {
	power := new(big.Rat).Sub(ratOne, y)
	answer := interval.True
	for _, g := range gs {
		limit := new(big.Rat).Mul(minusOne(g.Order), g.Value)
		if g.Order.Cmp(ratOne) == 0 {
			limit = g.Value
		}
		for _, e := range []interval.Interval{binaryMoment(w, g.Order, x, power), binaryMoment(w, g.Order, power, x)} {
			t := e.LessEqRat(limit)
			if g.Order.Cmp(ratOne) < 0 {
				t = e.LessRat(limit).Not()
			}
			answer = min(answer, t)
		}
	}
	return answer
}

// binaryMoment encloses log E_α(a, b), where 0^α·0^(1−α) = 0, and of order 1 the divergence.
func binaryMoment(w interval.Prec, alpha, a, b *big.Rat) interval.Interval {
	sum := zero
	for _, c := range [][2]*big.Rat{{a, b}, {new(big.Rat).Sub(ratOne, a), new(big.Rat).Sub(ratOne, b)}} {
		switch {
		case c[0].Sign() == 0:
		case c[1].Sign() == 0 && alpha.Cmp(ratOne) >= 0:
			return posInf
		case c[1].Sign() == 0:
		default:
			l := w.Log(w.Rat(new(big.Rat).Quo(c[0], c[1])))
			if alpha.Cmp(ratOne) == 0 {
				sum = w.Add(sum, w.Mul(w.Rat(c[0]), l))
				continue
			}
			sum = w.Add(sum, w.Exp(w.Add(w.Log(w.Rat(c[1])), w.Mul(w.Rat(alpha), l))))
		}
	}
	if alpha.Cmp(ratOne) == 0 {
		return sum
	}
	return w.Log(sum)
}
