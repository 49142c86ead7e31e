// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpverify/exact/interval"
	"dpverify/exact/least"
)

// Choices in float64, which nothing rests on.

// An order is the order of a divergence, of (P, Q) or reversed of (Q, P), with the logarithm of its
// moment; for α = 1 with the divergence.
type order struct {
	alpha    *big.Rat
	a, k     float64 // α and log M
	reversed bool
}

// both returns an order of both orientations; none if nothing is known of it.
func (t *tester) both(alpha *big.Rat) []order {
	k, a := float64Of(t.known(64, alpha).Hi()), float64Of(interval.Prec(64).Rat(alpha).Hi())
	if math.IsInf(k, 0) || math.IsNaN(k) {
		return nil
	}
	return []order{{alpha, a, k, false}, {alpha, a, k, true}}
}

// A guess is a pair of two outcomes, P = (a, 1 − a) and Q = (b, 1 − b), a > b, with logarithms.
type guess struct{ a, b, logA, logB, restA, restB float64 }

// slack is by how much a guess keeps what is known of an order; negative, it does not.
func (o order) slack(x guess) float64 {
	if o.reversed {
		x = guess{x.b, x.a, x.logB, x.logA, x.restB, x.restA}
	}
	if o.a == 1 {
		return o.k - x.a*(x.logA-x.logB) - (1-x.a)*(x.restA-x.restB)
	}
	u, v := o.a*x.logA+(1-o.a)*x.logB, o.a*x.restA+(1-o.a)*x.restB
	e := max(u, v) + math.Log1p(math.Exp(-math.Abs(u-v)))
	if o.a < 1 {
		return e - o.k
	}
	return o.k - e
}

// highest returns the greatest a for a b, about: the slack of all orders falls in a above b. So an order that is kept
// at the greatest a for those before it needs no search of its own.
func highest(orders []order, b float64) float64 {
	logB, restB := math.Log(b), math.Log1p(-b)
	at := func(x float64) guess { return guess{math.Exp(x), b, x, logB, math.Log1p(-math.Exp(x)), restB} }
	g := at(math.Ldexp(logB, -44))
	for i, o := range orders {
		if o.slack(g) >= 0 {
			continue
		}
		lo, _ := least.Halved(logB, 0, 44, func(x float64) bool { return o.slack(at(x)) >= 0 })
		orders[0], orders[i], g = o, orders[0], at(lo) // next time it is likely to be the least again
	}
	return g.a
}

// worst returns the guess with the greatest a − c·b, about, which is concave in b: near the greatest
// b it looks around in ever longer steps, or it starts at a b that is known to be near.
func worst(orders []order, c, near float64) guess {
	orders = slices.Clone(orders)
	gain := func(x float64) float64 { b := math.Exp(x); return highest(orders, b) - c*b }
	top := -math.Log(c) - 1e-12
	const ratio, first, last = 1.5, 0.02, 650
	at := top - math.Log(near)
	steps := 30
	if near == 0 {
		steps = 32
		at = first
		best := gain(top - first)
		for x := first * ratio; x < last; x *= ratio {
			if y := gain(top - x); y > best {
				best, at = y, x
			}
		}
	}
	lo, hi := top-at*ratio*ratio, top-at/(ratio*ratio)
	if at <= first {
		hi = top
	}
	b := math.Exp(least.Section(func(x float64) float64 { return -gain(x) }, lo, hi, steps))
	a := highest(orders, b)
	return guess{a, b, math.Log(a), math.Log(b), math.Log1p(-a), math.Log1p(-b)}
}

// binding returns the orders of least slack at a guess, first the least.
func binding(orders []order, g guess, most int) []order {
	type ranked struct {
		order
		slack float64
	}
	var rs []ranked
	for _, o := range orders {
		d := math.Abs(o.a - 1)
		if d == 0 {
			d = 1
		}
		rs = append(rs, ranked{o, o.slack(g) / d})
	}
	slices.SortStableFunc(rs, func(x, y ranked) int { return cmp.Compare(x.slack, y.slack) })
	var out []order
	for _, r := range rs[:min(most, len(rs))] {
		out = append(out, r.order)
	}
	return out
}

// choose returns a guess and the orders that bind it.
func (t *tester) choose(c float64) (guess, []order) {
	const keep = 4
	g := worst(t.orders, c, 0)
	bind := binding(t.orders, g, keep)
	if !t.real {
		return g, bind
	}
	// Cutting planes: the order that a guess breaks most is added.
	for range 4 {
		var cuts []order
		for _, o := range bind[:2] {
			cuts = append(cuts, t.refine(o, g)...)
		}
		bind = append(bind, cuts...)
		g = worst(bind, c, g.b)
		bind = binding(bind, g, keep)
	}
	return g, bind
}

// refine looks for an order near o that a pair keeps less than o.
func (t *tester) refine(o order, g guess) []order {
	if o.a == 1 {
		return nil
	}
	at := func(x float64) order { // α = 1 + 2^x
		alpha := ratOf(math.Exp2(x))
		for _, y := range t.both(alpha.Add(alpha, ratOne)) {
			if y.reversed == o.reversed {
				return y
			}
		}
		return o
	}
	slack := func(o order) float64 { return o.slack(g) / (o.a - 1) }
	x := math.Log2(o.a - 1)
	best := o
	for h := 0.5; h > 1e-4; h /= 2 {
		for _, y := range []order{at(x - h), at(x + h)} {
			if slack(y) < slack(best) {
				best = y
			}
		}
		x = math.Log2(best.a - 1)
	}
	return t.both(best.alpha)
}
