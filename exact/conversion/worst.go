// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package conversion

import (
	"context"
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
)

// Worst returns a lower bound [l, 1] of the worst profile of a guarantee (ξ, ρ)-zCDP, or of
// a list of Rényi divergences: δ(ε) = a − e^ε·b of a pair of two outcomes, P = (a, 1 − a) and Q = (b, 1 − b),
// that is seen to keep the guarantee in both orientations. The pair is the one of Tests, with a
// moved a little towards b; there is no worse one with two outcomes, nor with more.
//
// It reports false for other products than one copy of one of the two.
func Worst(prod pair.Product) (profile.Func, bool) {
	t, ok := newTester(prod)
	if !ok || len(prod) != 1 || prod[0].Count != 1 {
		return nil, false
	}
	var keeps func(a, b *big.Rat) bool
	switch x := prod[0].Pair.(type) {
	case pair.ZCDP:
		if x.Rho.Sign() == 0 {
			return nil, false
		}
		keeps = func(a, b *big.Rat) bool { return keepsZCDP(x, a, b) && keepsZCDP(x, b, a) }
	case pair.RenyiCurve:
		if len(x.Orders) > maxTestOrders {
			return nil, false
		}
		var gs []Guarantee
		for i, alpha := range x.Orders {
			gs = append(gs, Guarantee{alpha, x.Values[i]})
		}
		keeps = func(a, b *big.Rat) bool {
			return satisfies(keepPrec, gs, a, new(big.Rat).Sub(ratOne, b)) == interval.True
		}
	default:
		return nil, false
	}
	positive := func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		l, err := t.lower(ctx, p, eps, keeps)
		return interval.Union(l, one), err
	}
	reversed := profile.Reverse(positive)
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		p = min(p, testPrec)
		if eps(p).Negative() == interval.True {
			y, err := reversed(ctx, p, eps)
			return interval.Union(y, one), err
		}
		return positive(ctx, p, eps)
	}, true
}

// lower returns a lower bound of δ(ε), ε ≥ 0, as a point.
func (t *tester) lower(ctx context.Context, p interval.Prec, eps interval.Real,
	keeps func(a, b *big.Rat) bool) (interval.Interval, error) {
	e := float64Of(eps(64).Hi())
	const last = 500
	if !(e <= last) || ctx.Err() != nil {
		return zero, ctx.Err()
	}
	g, _ := t.choose(math.Exp(max(e, 0)))
	a, b := g.a, g.b
	if !(a > b && b > 0 && a < 1) {
		return zero, nil
	}
	y := ratOf(b)
	for _, move := range []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2} {
		if err := ctx.Err(); err != nil {
			return zero, err
		}
		x := ratOf(b + (a-b)*(1-move))
		if x.Cmp(y) <= 0 || !keeps(x, y) {
			continue
		}
		w := p + 64
		d := p.Round(w.Sub(w.Rat(x), w.Mul(w.Exp(eps(w)), w.Rat(y))))
		return interval.Point(interval.Max(d, zero).Lo()), nil
	}
	return zero, nil
}

// testPrec is the precision of bounds by tests: what is chosen in float64 is not worth more.
const testPrec = interval.Prec(64)

// keepPrec is the precision at which pairs are seen to keep a guarantee.
const keepPrec = interval.Prec(128)

// keepsZCDP reports whether R_α ≤ ξ + ρα of a pair of two outcomes, for all α > 1.
//
// With x = α − 1, it is g(x) ≤ h(x) for all x > 0, with g(x) = log(a·r^x + (1 − a)·s^x), r = a/b, s = (1 − a)/(1 − b),
// and h(x) = ρx² + (ξ + ρ)x. As g ≤ x·log max(r, s), h is above it from x = (log max(r, s) − ξ − ρ)/ρ on. Below, g is
// convex, with g(0) = 0: on [x₀, x₁] it is at most its chord n + mx, and h − n − mx is least at x = (m − ξ − ρ)/2ρ or
// at the end next to it. An interval where that does not do is halved.
func keepsZCDP(z pair.ZCDP, a, b *big.Rat) bool {
	const w = keepPrec
	r, s := new(big.Rat).Quo(a, b), new(big.Rat).Quo(new(big.Rat).Sub(ratOne, a), new(big.Rat).Sub(ratOne, b))
	g := func(x *big.Rat) interval.Interval {
		if x.Sign() == 0 {
			return zero
		}
		return binaryMoment(w, new(big.Rat).Add(x, ratOne), a, b)
	}
	slope := new(big.Rat).Add(z.Xi, z.Rho)
	most := r
	if s.Cmp(r) > 0 {
		most = s
	}
	last, ok := w.Div(w.Sub(w.Log(w.Rat(most)), w.Rat(slope)), w.Rat(z.Rho)).UpperRat()
	if !ok {
		return false
	}
	if last.Sign() <= 0 {
		return true
	}
	type point struct {
		x *big.Rat
		g interval.Interval
	}
	below := func(l, u point) bool {
		dx := w.Rat(new(big.Rat).Sub(u.x, l.x))
		m := w.Div(w.Sub(u.g, l.g), dx)
		n := w.Sub(l.g, w.Mul(m, w.Rat(l.x)))
		at := func(x interval.Interval) interval.Interval {
			h := w.Mul(x, w.Add(w.Mul(w.Rat(z.Rho), x), w.Rat(slope)))
			return w.Sub(h, w.Add(n, w.Mul(m, x)))
		}
		// h − chord = ρ(x − v)² + its value at v: at least that, and at the ends at least the least over them.
		v := w.Div(w.Sub(m, w.Rat(slope)), w.Scale(w.Rat(z.Rho), 1))
		v = interval.Min(interval.Max(v, w.Rat(l.x)), w.Rat(u.x))
		return at(v).Negative() == interval.False
	}
	todo := [][2]point{{{new(big.Rat), zero}, {last, g(last)}}}
	const steps = 200
	for n := 0; len(todo) > 0; n++ {
		if n > steps {
			return false
		}
		l, u := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		if below(l, u) {
			continue
		}
		// Near 0 by halves, so that few intervals reach there.
		x := renyi.Shortened(renyi.Middle(l.x, u.x))
		if x.Cmp(l.x) <= 0 || x.Cmp(u.x) >= 0 {
			return false
		}
		m := point{x, g(x)}
		if w.Rat(new(big.Rat).Mul(x, new(big.Rat).Add(new(big.Rat).Mul(z.Rho, x), slope))).Less(m.g) == interval.True {
			return false
		}
		todo = append(todo, [2]point{l, m}, [2]point{m, u})
	}
	return true
}
