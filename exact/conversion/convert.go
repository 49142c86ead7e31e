// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/least"
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
	return boundAt(f.Fixed, true, m, orders), true
}

// RoughBoundFactors is BoundFactors with the few orders of RoughBound.
func RoughBoundFactors(f meaning.Factors) (profile.Func, bool) {
	m, orders, ok := boundedFactors(f)
	if !ok {
		return nil, false
	}
	return boundAt(f.Fixed, true, renyi.Remembered(m), orFew(orders)), true
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

// orFew returns a few integer orders in place of none.
func orFew(orders []*big.Rat) []*big.Rat {
	if len(orders) > 0 {
		return orders
	}
	return []*big.Rat{integer(2), integer(3), integer(5), integer(9), integer(16), integer(32), integer(64), integer(128)}
}

func integer(n int64) *big.Rat { return big.NewRat(n, 1) }

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
	return boundAt(prod, prod.SelfDual(), renyi.Remembered(m), orFew(orders)), true
}

// boundAt is the least bound over some orders; over all, if there are none. m is the
// greatest moment, and prod has all infinite losses.
func boundAt(prod pair.Product, selfDual bool, m renyi.LogMoment, orders []*big.Rat) profile.Func {
	best := bestOrder(m, orders)
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

// bestOrder returns what finds the order with about the least bound at an ε, among the listed ones, or all if there are
// none. It is a search in float64, of which the moments are remembered: with α = 1 + t, the logarithm of the bound
// without m∞ is F(t) = K(t) − tε + c(t), where K is the logarithm of the moment and c is the term of CKS. Both are
// convex, so that F falls up to its least value and rises from there on, also over log t.
func bestOrder(m renyi.LogMoment, orders []*big.Rat) func(e interval.Interval) *big.Rat {
	moment := func(alpha *big.Rat) float64 {
		if k := float64Of(m(64, alpha).Hi()); !math.IsNaN(k) {
			return k
		}
		return math.Inf(1)
	}
	near := func(x interval.Interval) float64 { return float64Of(interval.Prec(64).Mid(x).Hi()) }
	value := func(k, t, eps float64) float64 { return k - t*eps - t*math.Log1p(1/t) - math.Log1p(t) }
	if len(orders) > 0 {
		known := least.NewCurve(func(i float64) float64 { return moment(orders[int(i)]) }, 0, 1, len(orders))
		return func(e interval.Interval) *big.Rat {
			eps := near(e)
			best, low := orders[0], math.Inf(1)
			for i, o := range orders {
				if f := value(known.At(i), near(interval.Prec(64).Rat(minusOne(o))), eps); f < low {
					best, low = o, f
				}
			}
			return best
		}
	}
	const last, step = 60, 0.25 // of log t
	order := func(x float64) *big.Rat { t := ratOf(short(x)); return t.Add(t, ratOne) }
	known := least.NewCurve(func(x float64) float64 { return moment(order(x)) }, -last, step, 2*last/step+1)
	return func(e interval.Interval) *big.Rat {
		eps := near(e)
		return order(known.Least(func(x, k float64) float64 { return value(k, short(x), eps) }))
	}
}

// short is e^x, of which 32 bits are kept, so that it is fast to compute with.
func short(x float64) float64 {
	return math.Float64frombits(math.Float64bits(math.Exp(x)) &^ (1<<21 - 1))
}
