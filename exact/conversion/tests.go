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

// BinaryTests returns an upper bound [0, u] of the profile of every pair with the Rényi divergences of a
// product, in both orientations, R_1 included: the best bound that they imply. The worst pair for one ε has two
// outcomes, the best test and its complement, as merging the others lowers all divergences and
// keeps δ(ε): it is the trade-off function of Zhu, Dong & Wang 2022, App. F, made a profile.
//
// Here it is its dual. With t = p/q, c = e^ε and M(β) = E_Q[t^β],
//
//	δ(ε) = E_Q[(t − c)₊] ≤ E_Q[G(t)] = Σλ_k·M(β_k) + μ + ν, if G(t) = Σλ_k·t^(β_k) + μt + ν ≥ (t − c)₊ for all t ≥ 0.
//
// A divergence of order α > 1 of (P, Q) bounds M(α) = e^((α−1)R_α) from above, of (Q, P) it bounds
// M(1 − α); one of order α < 1 bounds them from below. So λ_k ≥ 0 for β outside of [0, 1], and λ_k ≤ 0
// inside: every term is convex, and so is G. Order 1 bounds E_Q[t·log t] of (P, Q) and E_Q[−log t] of (Q, P) from
// above, in place of t^β. Given 0 < s < r, let G touch 0 at s, and t − c at r:
//
//	μ = −Σλ_k·β_k·s^(β_k−1),  ν = Σλ_k·(β_k − 1)·s^(β_k),     so that G(s) = G′(s) = 0 and G ≥ 0;
//	Σλ_k·D_k = 1,  D_k = β_k(r^(β_k−1) − s^(β_k−1)),           so that G′(r) = 1,
//
// and G(t) − t + c, which is convex too, is least at r, where it is
// Σλ_k·F_k − r + c, F_k = r^(β_k) − s^(β_k) − β_k·s^(β_k−1)·(r − s). If that is negative, its absolute value is
// added to ν. Whatever r, s, the orders and the ratios of the λ_k are, the bound holds. They are
// chosen in float64, at a pair of two outcomes that the divergences allow and of which δ is large.
//
// Where P and Q are not absolutely continuous, only orders below 1 are finite: then G(t)/t → μ ≥
// 1 covers q = 0 < p, and ν ≥ 0 covers p = 0.
//
// Requires: no infinite loss where an order is above 1. It reports false for products that are no
// guarantees, not self-dual, or of which moments are not known.
func BinaryTests(prod pair.Product) (profile.Func, bool) {
	t, ok := newTester(prod)
	if !ok {
		return nil, false
	}
	reversed := profile.Reverse(t.upper)
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		p = min(p, testPrec)
		f := t.upper
		if eps(p).Negative() == interval.True {
			f = reversed
		}
		y, err := f(ctx, p, eps)
		return interval.Union(interval.Int(0), y), err
	}, true
}

// A tester chooses tests. It may be used by several goroutines.
type tester struct {
	m      renyi.LogMoment
	kl     func(interval.Prec) interval.Interval // the divergence of order 1
	orders []order                               // to begin with
	real   bool                                  // all orders above 1 may be used
}

// maxTestOrders bounds the orders of a list that are looked at.
const maxTestOrders = 128

func newTester(prod pair.Product) (*tester, bool) {
	m, ok := renyi.Moments(prod)
	if !ok || !prod.IsGuarantee() || !prod.SelfDual() {
		return nil, false
	}
	t := &tester{m: m, kl: func(p interval.Prec) interval.Interval { return statedEntropy(p, prod) }}
	lists := true // only
	for _, x := range prod {
		_, ok := x.Pair.(pair.RenyiCurve)
		lists = lists && ok
		if !ok && renyi.HasInfiniteLoss(x.Pair) != interval.False {
			return nil, false
		}
	}
	listed := listedOrders(prod)
	for i, a := range listed {
		if i%(1+len(listed)/maxTestOrders) == 0 && (lists || a.Cmp(ratOne) >= 0) {
			t.add(a)
		}
	}
	if t.real = len(listed) == 0; t.real {
		t.add(ratOne)
		for j := -8; j <= 9; j++ {
			t.add(new(big.Rat).Add(ratOne, interval.Pow2(j)))
		}
	}
	return t, len(t.orders) > 0
}

// statedEntropy encloses what is stated of R_1: of a guarantee the limit of what it says of orders
// above, or its value at the least listed order from 1 on.
func statedEntropy(p interval.Prec, prod pair.Product) interval.Interval {
	sum := zero
	for _, x := range prod {
		var y interval.Interval
		switch g := x.Pair.(type) {
		case pair.ZCDP:
			y = p.Rat(new(big.Rat).Add(g.Xi, g.Rho))
		case pair.RenyiCurve:
			y = posInf
			for i, a := range g.Orders {
				if a.Cmp(ratOne) >= 0 {
					y = p.Rat(g.Values[i])
					break
				}
			}
		default:
			y = renyi.Of(pair.Product{{Pair: x.Pair, Count: 1}})(p, renyi.At(ratOne))
		}
		sum = p.Add(sum, p.Mul(interval.Int(x.Count), y))
	}
	return sum
}

// add takes up an order in both orientations, unless nothing is known of it.
func (t *tester) add(alpha *big.Rat) { t.orders = append(t.orders, t.both(alpha)...) }

// known encloses what is known of an order: log M, or R_1.
func (t *tester) known(p interval.Prec, alpha *big.Rat) interval.Interval {
	if alpha.Cmp(ratOne) == 0 {
		return t.kl(p)
	}
	return t.m(p, alpha)
}

// upper encloses [0, u], ε ≥ 0.
func (t *tester) upper(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
	e := float64Of(eps(64).Lo())
	const last = 500 // beyond, masses underflow in float64
	if !(e <= last) || ctx.Err() != nil {
		return profile.Unit(), ctx.Err()
	}
	g, bind := t.choose(math.Exp(max(e, 0)))
	if !(g.a > g.b && g.b > 0 && g.a < 1) {
		return profile.Unit(), nil
	}
	r, s := ratOf(g.a/g.b), ratOf((1-g.a)/(1-g.b))
	if r == nil || s == nil || s.Sign() <= 0 || s.Cmp(r) >= 0 {
		return profile.Unit(), nil
	}
	w := p + 128
	c := w.Exp(eps(w))
	best := one
	take := func(y interval.Interval, ok bool) {
		if ok && y.Hi().Cmp(best.Hi()) < 0 {
			best = y
		}
	}
	for i, o := range bind {
		x := t.term(w, o, r, s)
		if i < 2 {
			take(x.alone(w, c, t.touching(w, o, r, s, c), s, t))
		}
		for _, o2 := range bind[:i] {
			take(together(w, c, x, t.term(w, o2, r, s), r))
		}
	}
	return interval.Union(zero, p.Round(best)), nil
}

// A term is one t^β of G at given r and s.
type term struct {
	order
	d, f  interval.Interval
	gain  interval.Interval // M(β) + (β − 1)s^β − βs^(β−1), of which Σλ_k times that is the bound
	minus bool              // λ ≤ 0
}

func (t *tester) term(w interval.Prec, o order, r, s *big.Rat) term {
	logR, logS := w.Log(w.Rat(r)), w.Log(w.Rat(s))
	ri, si := w.Rat(r), w.Rat(s)
	over := w.Sub(ri, si)
	known := t.known(w, o.alpha)
	switch sign := o.alpha.Cmp(ratOne); {
	case sign == 0 && !o.reversed: // t·log t
		f := w.Sub(w.Sub(w.Mul(ri, logR), w.Mul(si, logS)), w.Mul(w.Add(logS, one), over))
		gain := w.Sub(w.Sub(w.Add(interval.Point(known.Hi()), si), logS), one)
		return term{order: o, d: w.Sub(logR, logS), f: f, gain: gain}
	case sign == 0: // −log t
		inv := w.Rat(new(big.Rat).Inv(s))
		f := w.Add(w.Sub(logS, logR), w.Mul(over, inv))
		gain := w.Add(w.Sub(w.Add(interval.Point(known.Hi()), logS), one), inv)
		return term{order: o, d: w.Sub(inv, w.Rat(new(big.Rat).Inv(r))), f: f, gain: gain}
	}
	beta := o.power()
	less := minusOne(beta)
	pow := func(l interval.Interval, x *big.Rat) interval.Interval { return w.Exp(w.Mul(l, w.Rat(x))) }
	sb, sl := pow(logS, beta), w.Mul(w.Rat(beta), pow(logS, less))
	x := term{order: o, minus: o.alpha.Cmp(ratOne) < 0}
	x.d = w.Sub(w.Mul(w.Rat(beta), pow(logR, less)), sl)
	x.f = w.Sub(w.Sub(pow(logR, beta), sb), w.Mul(sl, over))
	end := known.Hi() // M is at most that
	if x.minus {
		end = known.Lo()
	}
	x.gain = w.Sub(w.Add(w.Exp(interval.Point(end)), w.Mul(w.Rat(less), sb)), sl)
	return x
}

// power returns β.
func (o order) power() *big.Rat {
	if o.reversed {
		return new(big.Rat).Sub(ratOne, o.alpha)
	}
	return o.alpha
}

// touching returns an r near the given one at which G of one order touches t − c, about: Newton's
// method on F/D − r + c.
func (t *tester) touching(w interval.Prec, o order, r, s *big.Rat, c interval.Interval) *big.Rat {
	beta := o.power()
	for range 3 {
		x := t.term(w, o, r, s)
		h := w.Add(w.Sub(w.Div(x.f, x.d), w.Rat(r)), c)
		// d′ = β(β − 1)r^(β−2), and r^(β−2) for order 1
		scale := new(big.Rat).Mul(beta, minusOne(beta))
		if o.alpha.Cmp(ratOne) == 0 {
			scale = ratOne
		}
		d := w.Mul(w.Rat(scale), w.Exp(w.Mul(w.Log(w.Rat(r)), w.Rat(new(big.Rat).Sub(beta, big.NewRat(2, 1))))))
		slope := w.Div(w.Mul(x.f, d), w.Sqr(x.d))
		next, _, ok := w.Mid(w.Add(w.Rat(r), w.Div(h, slope))).Rationals()
		if !ok || next.Cmp(s) <= 0 {
			return r
		}
		r = next
	}
	return r
}

// alone is the bound of one order, at another r.
func (x term) alone(w interval.Prec, c interval.Interval, r, s *big.Rat, t *tester) (interval.Interval, bool) {
	x = t.term(w, x.order, r, s)
	if !signed(x.d, x.minus) {
		return one, false
	}
	lambda := w.Div(one, x.d)
	under := w.Sub(w.Sub(w.Rat(r), c), w.Mul(lambda, x.f)) // −(F/D − r + c)
	return w.Add(w.Mul(lambda, x.gain), atLeastZero(under)), true
}

// together is the bound of two orders, for which λ₁D₁ + λ₂D₂ = 1 and λ₁F₁ + λ₂F₂ = r − c.
func together(w interval.Prec, c interval.Interval, x, y term, r *big.Rat) (interval.Interval, bool) {
	det := w.Sub(w.Mul(x.d, y.f), w.Mul(y.d, x.f))
	if det.Positive() != interval.True && det.Negative() != interval.True {
		return one, false
	}
	over := w.Sub(w.Rat(r), c)
	l1 := w.Div(w.Sub(y.f, w.Mul(over, y.d)), det)
	l2 := w.Div(w.Sub(w.Mul(over, x.d), x.f), det)
	if !signed(l1, x.minus) || !signed(l2, y.minus) {
		return one, false
	}
	return w.Add(w.Mul(l1, x.gain), w.Mul(l2, y.gain)), true
}

// signed reports whether a number is above 0 for certain or, if it is to be, below.
func signed(x interval.Interval, minus bool) bool {
	if minus {
		return x.Negative() == interval.True
	}
	return x.Positive() == interval.True
}
