// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/least"
	"dpverify/exact/renyi"
)

// bestOrder returns what finds the order with about the least bound at an ε, among the listed ones, or all if there are
// none. It is a search in float64, of which the moments are remembered: with α = 1 + t, the logarithm of the bound
// without m∞ is F(t) = K(t) − tε + c(t), where K is the logarithm of the moment and c is the term of CKS. Both are
// convex, so that F falls up to its least value and rises from there on, also over log t.
func bestOrder(m renyi.LogMoment, orders []*big.Rat) func(e interval.Interval) *big.Rat {
	moment, near, value := nearMoment(m), nearMiddle, logBound
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

// bestOfFew is bestOrder among a few integer orders, whose moments are mostly sums, as far as the bound falls.
func bestOfFew(m renyi.LogMoment) func(e interval.Interval) *big.Rat {
	moment := nearMoment(m)
	return func(e interval.Interval) *big.Rat {
		best, low := int64(0), math.Inf(1)
		for _, n := range []int64{2, 3, 5, 9, 16, 32, 64, 128} {
			f := logBound(moment(integer(n)), float64(n-1), nearMiddle(e))
			if best > 0 && !(f < low) {
				break
			}
			best, low = n, f
		}
		return integer(best)
	}
}

// nearMoment is about the logarithm of a moment, or +∞.
func nearMoment(m renyi.LogMoment) func(alpha *big.Rat) float64 {
	return func(alpha *big.Rat) float64 {
		if k := float64Of(m(64, alpha).Hi()); !math.IsNaN(k) {
			return k
		}
		return math.Inf(1)
	}
}

func nearMiddle(x interval.Interval) float64 { return float64Of(interval.Prec(64).Mid(x).Hi()) }

// logBound is F(t) at k = K(t).
func logBound(k, t, eps float64) float64 { return k - t*eps - t*math.Log1p(1/t) - math.Log1p(t) }

// short is e^x, of which 32 bits are kept, so that it is fast to compute with.
func short(x float64) float64 {
	return math.Float64frombits(math.Float64bits(math.Exp(x)) &^ (1<<21 - 1))
}

// float64Of returns a float64 near x.
func float64Of(x *big.Float) float64 {
	if x.IsInf() {
		return math.Inf(x.Sign())
	}
	m := new(big.Float)
	e := x.MantExp(m)
	n, _ := m.SetMantExp(m, 62).Int64()
	return math.Ldexp(float64(n), e-62)
}

// ratOf returns x exactly; nil if it is no number.
func ratOf(x float64) *big.Rat {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	m, e := math.Frexp(x)
	n := new(big.Rat).SetInt64(int64(math.Ldexp(m, 53)))
	return n.Mul(n, interval.Pow2(e-53))
}
