// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package conversion has what Rényi divergences say about δ, about ε, about tests and about losses: the conversions of
// the literature, each sound at every order, and the best bound there is from finitely many divergences.
package conversion

import (
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
)

// A Conversion turns Rényi divergences into (ε, δ). With t = α − 1 > 0 and K(t) = t·R_{1+t},
// the bound at one order is
//
//	δ = exp(K(t) + c(t) − tε), or ε = (K(t) + c(t) + log(1/δ))/t,
//
// where c is what tells the conversions apart. Both are sound at every order, and the
// best order gives the least.
//
// K is convex, with K(0) = 0, and so is each c; hence the bounds are quasiconvex in t and
// the best order can be found without trying all. Only the steps of a curve that is
// known at some orders are not convex: see Exhaustive.
type Conversion struct {
	// Name identifies the conversion in claims and tables.
	Name string
	// Source cites it.
	Source string
	extra  func(p interval.Prec, t *big.Rat) interval.Interval
	// orders are the conversion's own, or nil for the caller's.
	orders []*big.Rat
	// exhaustive tries every order.
	exhaustive bool
}

// Exhaustive returns the conversion for divergences of which (α − 1)·R_α need not be
// convex. It has no optimum over real orders.
func (c Conversion) Exhaustive() Conversion {
	c.exhaustive = true
	return c
}

// The conversions.
var (
	// Mironov is the tail bound P(L > ε) ≤ e^(−tε)·E_P[e^(tL)] (Markov), c = 0.
	Mironov = Conversion{Name: "rdp-mironov", Source: "Mironov 2017, Proposition 3", extra: noExtra}
	// MomentsAccountant is the same bound at the log-moments λ = α − 1 = 1 … 32.
	MomentsAccountant = Conversion{Name: "moments-accountant", Source: "Abadi et al. 2016, Theorem 2", extra: noExtra,
		orders: integers(2, 33)}
	// CKS bounds δ = E_P[(1 − e^(ε−L))₊] itself: (1 − e^−u)·e^(−tu) is largest at e^−u = t/(1+t),
	// which gives c(t) = t·log t − (1+t)·log(1+t).
	CKS = Conversion{Name: "rdp-cks", Source: "Canonne, Kamath & Steinke 2020, Proposition 12; Balle et al. 2020",
		extra: func(p interval.Prec, t *big.Rat) interval.Interval { // its second derivative is 1/t − 1/(1+t) > 0
			w := p + 16
			a := w.Rat(t)
			return p.Sub(w.Mul(a, w.Log1p(w.Rat(new(big.Rat).Inv(t)))).Neg(), w.Log1p(a))
		}}
)

func noExtra(interval.Prec, *big.Rat) interval.Interval { return zero }

// DefaultOrders returns 1.1, 1.2, …, 10.9 and 12, 13, …, 63, the orders of TensorFlow
// Privacy and Opacus.
func DefaultOrders() []*big.Rat {
	var out []*big.Rat
	for i := int64(11); i <= 109; i++ {
		out = append(out, big.NewRat(i, 10))
	}
	return append(out, integers(12, 63)...)
}

func integers(from, to int64) []*big.Rat {
	var out []*big.Rat
	for i := from; i <= to; i++ {
		out = append(out, big.NewRat(i, 1))
	}
	return out
}

// A Converted bound is the value of a conversion with an order that reaches it.
type Converted struct {
	interval.Interval
	Order *big.Rat // nil if every order gives ∞
}

// at encloses K(t) + c(t) at an order.
func (c Conversion) at(p interval.Prec, f renyi.Divergence, alpha *big.Rat) interval.Interval {
	t := minusOne(alpha)
	return p.Add(p.Mul(p.Rat(t), f(p, renyi.At(alpha))), c.extra(p, t))
}

// Epsilon encloses the least ε that the conversion gives at delta by the listed orders,
// which must be above 1. It is ∞ for delta = 0.
func (c Conversion) Epsilon(p interval.Prec, f renyi.Divergence, delta interval.Interval, orders []*big.Rat) Converted {
	if c.orders != nil {
		orders = c.orders
	}
	need := (p + 16).Log(delta).Neg()
	best := c.least(p+16, orders, func(w interval.Prec, alpha *big.Rat) interval.Interval {
		return w.Div(w.Add(c.at(w, f, alpha), need), w.Rat(minusOne(alpha)))
	})
	best.Interval = p.Round(best.Interval)
	return best
}

// coarse is a precision at which most orders are seen not to be the best.
const coarse = interval.Prec(16)

// least encloses the minimum of g over the orders. Only those that may be the best by
// a coarse enclosure are looked at closely.
func (c Conversion) least(p interval.Prec, orders []*big.Rat, g func(interval.Prec,
	*big.Rat) interval.Interval) Converted {
	p = max(p, coarse)
	rough := make([]interval.Interval, len(orders))
	known := make([]bool, len(orders))
	at := func(i int) interval.Interval {
		if !known[i] {
			rough[i], known[i] = g(coarse, orders[i]), true
		}
		return rough[i]
	}
	from, to := 0, len(orders)
	if !c.exhaustive {
		orders = slices.Clone(orders)
		slices.SortFunc(orders, (*big.Rat).Cmp)
		from, to = valley(len(orders), at)
	}
	limit := posInf
	for i := from; i < to; i++ {
		limit = interval.Min(limit, at(i))
	}
	best := Converted{Interval: posInf}
	for i := from; i < to; i++ {
		if limit.Less(at(i)) != interval.True {
			best.take(g(p, orders[i]), orders[i])
		}
	}
	return best
}

// valley returns a range [from, to) of the n indices outside of which a quasiconvex f has
// no value below its minimum inside: where f(i) < f(j) for certain, i < j, nothing is to
// be found from j on, and where f(i) > f(j), nothing up to i.
func valley(n int, f func(int) interval.Interval) (from, to int) {
	from, to = 0, n
	for to-from > 8 {
		i := (from + to) / 2
		j := i + (to-from)/8
		switch a, b := f(i), f(j); {
		case a.Less(b) == interval.True:
			to = j
		case b.Less(a) == interval.True:
			from = i + 1
		default:
			return from, to
		}
	}
	return from, to
}

// take adopts the minimum of the bound so far and y.
func (b *Converted) take(y interval.Interval, alpha *big.Rat) {
	if y.Lo().IsInf() && !y.Lo().Signbit() {
		return
	}
	if b.Order == nil || y.Hi().Cmp(b.Hi()) < 0 {
		b.Order = alpha
	}
	b.Interval = interval.Min(b.Interval, y)
}

// Delta encloses the least δ that the conversion gives at eps by the listed orders, at
// most 1.
func (c Conversion) Delta(p interval.Prec, f renyi.Divergence, eps interval.Interval, orders []*big.Rat) Converted {
	if c.orders != nil {
		orders = c.orders
	}
	w := p + 16
	best := c.least(w, orders, func(w interval.Prec, alpha *big.Rat) interval.Interval {
		return w.Sub(c.at(w, f, alpha), w.Mul(w.Rat(minusOne(alpha)), eps))
	})
	best.Interval = p.Round(interval.Min(w.Exp(best.Interval), one))
	return best
}

// RealEpsilon encloses the infimum over all real α > 1 of the conversion's ε at
// delta: of N(t)/t, N(t) = K(t) + c(t) + log(1/δ).
func (c Conversion) RealEpsilon(p interval.Prec, f renyi.Divergence, delta interval.Interval) Converted {
	w := p + 32
	need := w.Log(delta).Neg()
	if need.Hi().IsInf() {
		return Converted{Interval: posInf}
	}
	y, t := infimum(p, int(p)/2+24, func(t *big.Rat) interval.Interval {
		return w.Add(c.at(w, f, new(big.Rat).Add(ratOne, t)), need)
	})
	if t == nil {
		return Converted{Interval: y}
	}
	// N(t)/t → R_∞ for t → ∞, as c(t)/t and log(1/δ)/t tend to 0: the infimum is at most that.
	if z, ok := interval.Intersect(y, interval.Bounds(interval.Entire().Lo(), p.Round(f(w, renyi.Infinity)).Hi())); ok {
		y = z
	}
	return Converted{y, new(big.Rat).Add(ratOne, t)}
}
