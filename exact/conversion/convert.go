// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
)

// Bound returns an upper bound [0, u] of the profile of a product from its
// moments, optimised over real orders: for every α > 1,
//
//	δ(ε) ≤ m∞ + M(α)·e^(−(α−1)ε)·(1 − 1/α)^α/(α − 1)
//
// [Canonne, Kamath & Steinke 2020, Proposition 12; Balle et al. 2020]. Proof: for
// u = L − ε ≥ 0, (1 − e^−u)·e^(−(α−1)u) is largest at e^−u = 1 − 1/α, where it is
// (1 − 1/α)^α/(α − 1). For ε < 0 the bound is used for the reversed pair, whose
// moments the guarantee bounds alike, by δ(ε) = 1 − e^ε + e^ε·δ_{Q|P}(−ε).
//
// The choice of α is a search in float64; any α gives a bound.
//
// Requires: every factor is self-dual.
func Bound(prod pair.Product) (profile.Func, bool) { return BoundFactors(meaning.Factors{Fixed: prod}) }

// BoundFactors is Bound where each copy of a choice may be any one of its products: M(α) is
// at most the product of their greatest moments. The infinite mass of a choice must be 0.
func BoundFactors(f meaning.Factors) (profile.Func, bool) {
	m, orders, ok := boundedFactors(f)
	if !ok {
		return nil, false
	}
	return boundAt(f.Fixed, true, m, bestOrder(m, orders)), true
}

// RoughBoundFactors is BoundFactors with the few orders of RoughBound.
func RoughBoundFactors(f meaning.Factors) (profile.Func, bool) {
	m, orders, ok := boundedFactors(f)
	if !ok {
		return nil, false
	}
	return roughAt(f.Fixed, true, m, orders), true
}

// boundedFactors returns the greatest moments of factors and the orders that are listed in them.
func boundedFactors(f meaning.Factors) (renyi.LogMoment, []*big.Rat, bool) {
	m, ok := factorMoments(f)
	if !ok || !f.SelfDual() {
		return nil, nil, false
	}
	orders := listedOrders(f.Fixed)
	for _, c := range f.Choices {
		for _, x := range c.Of {
			orders = append(orders, listedOrders(x)...)
		}
	}
	orders, ok = above(orders)
	return m, orders, ok
}

// RoughBound is Bound with the least bound over a few integer orders, whose moments are
// mostly sums and are computed once: it takes little time, and may be far from the least
// over all orders. A product that is not self-dual is bounded for ε ≥ 0, by its own
// moments.
func RoughBound(prod pair.Product) (profile.Func, bool) {
	m, ok := renyi.Moments(prod)
	if !ok {
		return nil, false
	}
	orders, ok := above(listedOrders(prod))
	if !ok {
		return nil, false
	}
	return roughAt(prod, prod.SelfDual(), m, orders), true
}

// roughAt is boundAt over some orders, or a few integer ones if there are none. Each moment is computed once, to 32
// bits.
func roughAt(prod pair.Product, selfDual bool, m renyi.LogMoment, orders []*big.Rat) profile.Func {
	known := renyi.Remembered(m)
	rough := func(_ interval.Prec, alpha *big.Rat) interval.Interval { return known(32, alpha) }
	best := bestOfFew(rough)
	if len(orders) > 0 {
		best = bestOrder(rough, orders)
	}
	return boundAt(prod, selfDual, rough, best)
}

// boundAt is the bound at the order that best chooses at an ε. m is the greatest moment, and prod has all infinite
// losses.
func boundAt(prod pair.Product, selfDual bool, m renyi.LogMoment,
	best func(e interval.Interval) *big.Rat) profile.Func {
	positive := func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		inf, ok := renyi.InfiniteMass(w, prod)
		e := eps(w)
		if !ok || !e.IsFinite() {
			return profile.Unit(), nil
		}
		alpha := best(e)
		u := w.Add(inf, w.Exp(exponent(w, m, alpha, e)))
		return interval.Union(interval.Int(0), interval.Min(p.Round(u), one)), nil
	}
	reversed := profile.Reverse(positive)
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		f := positive
		switch {
		case eps(p).Negative() != interval.True:
		case selfDual:
			f = reversed
		default:
			return profile.Unit(), nil
		}
		y, err := f(ctx, p, eps)
		return interval.Union(interval.Int(0), y), err
	}
}

// factorMoments returns the logarithm of the greatest moment of factors, for α > 1. It reports
// false if a moment is not known, or a choice may have infinite losses.
func factorMoments(f meaning.Factors) (renyi.LogMoment, bool) {
	for _, c := range f.Choices {
		for _, x := range c.Of {
			if renyi.InfiniteLoss(x) != interval.False {
				return nil, false
			}
		}
	}
	return greatestMoments(f)
}

// above returns the orders above 1; false if there are others only.
func above(orders []*big.Rat) ([]*big.Rat, bool) {
	var out []*big.Rat
	for _, a := range orders {
		if a.Cmp(ratOne) > 0 {
			out = append(out, a)
		}
	}
	return out, len(out) > 0 || len(orders) == 0
}

// listedOrders returns the orders of all Rényi curves in a product: the optimum
// is at one of them.
func listedOrders(prod pair.Product) []*big.Rat {
	var out []*big.Rat
	for _, t := range prod {
		if c, ok := t.Pair.(pair.RenyiCurve); ok {
			out = append(out, c.Orders...)
		}
	}
	return out
}

// exponent encloses log of the bound without m∞:
// log M(α) − (α−1)ε + α·log(1 − 1/α) − log(α − 1).
func exponent(p interval.Prec, m renyi.LogMoment, alpha *big.Rat, e interval.Interval) interval.Interval {
	b := minusOne(alpha)
	y := p.Sub(m(p, alpha), p.Mul(p.Rat(b), e))
	c := p.Mul(p.Rat(alpha), p.Log1p(p.Rat(new(big.Rat).Inv(alpha)).Neg()))
	return p.Add(y, p.Sub(c, p.Log(p.Rat(b))))
}
