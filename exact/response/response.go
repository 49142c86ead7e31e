// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package response composes point guarantees: what k mechanisms, each of them
// (ε_i, δ_i)-differentially private, satisfy together.
//
// The worst case is approximate randomized response [Kairouz, Oh & Viswanath
// 2015]: its composition is exactly computable, and computed here by the sum of
// Chourasia et al. 2024, Corollary 4.7. The other composition theorems of the
// literature are named methods: they bound from above and serve as independent
// checks.
package response

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// A Guarantee is Count mechanisms that are (Eps, Delta)-DP.
type Guarantee struct {
	Eps, Delta *big.Rat
	Count      int64
}

// infinite returns the mass of infinite loss, 1 − Π(1 − δ_i)^count.
func infinite(p interval.Prec, gs []Guarantee) interval.Interval {
	log := interval.Int(0)
	for _, g := range gs {
		if g.Delta.Cmp(big.NewRat(1, 1)) == 0 {
			return interval.Int(1)
		}
		log = p.Add(log, p.Mul(interval.Int(g.Count), p.Log1p(p.Rat(g.Delta).Neg())))
	}
	return p.Expm1(log).Neg()
}

var (
	zero = interval.Int(0)
	one  = interval.Int(1)
	unit = interval.Union(zero, one)
)

// atMost returns [0, u].
func atMost(u interval.Interval) interval.Interval {
	return interval.Union(zero, interval.Min(u, one))
}

// A Bound is a composition theorem that bounds δ(ε) from above.
type Bound func(p interval.Prec, gs []Guarantee, eps interval.Real) interval.Interval

// Basic is basic (naive) composition: k mechanisms are (Σε_i, Σδ_i)-DP together
// [Meiser & Mohammadi 2018, Lemma 2].
func Basic(p interval.Prec, gs []Guarantee, eps interval.Real) interval.Interval {
	sum := zero
	for _, g := range gs {
		sum = p.Add(sum, p.Mul(interval.Int(g.Count), p.Rat(g.Delta)))
	}
	return beyondTotal(p, gs, eps, sum)
}

// Adaptive is adaptive composition: together they are
// (Σε_i, 1 − Π(1 − δ_i))-DP [ibid., Lemma 3].
func Adaptive(p interval.Prec, gs []Guarantee, eps interval.Real) interval.Interval {
	return beyondTotal(p, gs, eps, infinite(p, gs))
}

// beyondTotal returns [0, delta] if ε ≥ Σε_i for certain, and [0, 1] otherwise.
func beyondTotal(p interval.Prec, gs []Guarantee, eps interval.Real, delta interval.Interval) interval.Interval {
	if interval.RealRat(total(gs))(p).LessEq(eps(p)) != interval.True {
		return unit
	}
	return atMost(delta)
}

func total(gs []Guarantee) *big.Rat {
	sum := new(big.Rat)
	for _, g := range gs {
		sum.Add(sum, new(big.Rat).Mul(g.Eps, new(big.Rat).SetInt64(g.Count)))
	}
	return sum
}

// Advanced is advanced composition [Dwork, Rothblum & Vadhan 2010, in the form for
// unequal guarantees; the printed Lemma 4 of Meiser & Mohammadi 2018 has only
// its order]: for every δ′ > 0,
//
//	ε = Σε_i(e^ε_i − 1) + √(2·log(1/δ′)·Σε_i²),  δ = δ′ + Σδ_i.
//
// Solved for the δ′ that belongs to the asked ε:
// δ′ = exp(−(ε − Σε_i(e^ε_i − 1))²/(2Σε_i²)) if the difference is positive.
func Advanced(p interval.Prec, gs []Guarantee, eps interval.Real) interval.Interval {
	drift, squares, deltas := zero, zero, zero
	for _, g := range gs {
		n, e := interval.Int(g.Count), p.Rat(g.Eps)
		drift = p.Add(drift, p.Mul(n, p.Mul(e, p.Expm1(e))))
		squares = p.Add(squares, p.Mul(n, p.Sqr(e)))
		deltas = p.Add(deltas, p.Mul(n, p.Rat(g.Delta)))
	}
	over := p.Sub(eps(p), drift)
	if over.Positive() != interval.True {
		return unit
	}
	if squares.IsZero() {
		return atMost(deltas)
	}
	rest := p.Exp(p.Div(p.Sqr(over), p.Scale(squares, 1)).Neg())
	return atMost(p.Add(rest, deltas))
}

// maxTheoremCount bounds the number of mechanisms in Theorem, which sums big
// integers' worth of binomials.
const maxTheoremCount = 4096

// Theorem is the optimal composition theorem [Kairouz, Oh & Viswanath 2015,
// Theorem 3.3; Meiser & Mohammadi 2018, Theorem 3] for k equal guarantees: for i =
// 0 … ⌊k/2⌋ they are ((k − 2i)ε, 1 − (1−δ)^k(1 − δ_i))-DP, with
//
//	δ_i = Σ_{l<i} C(k, l)·(e^((k−l)ε) − e^((k−2i+l)ε)) / (1 + e^ε)^k.
//
// For other ε it is used at the next smaller (k − 2i)ε. It reports false for
// unequal guarantees.
func Theorem(ctx context.Context, p interval.Prec, gs []Guarantee, eps interval.Real) (interval.Interval, bool, error) {
	if len(gs) != 1 || gs[0].Count > maxTheoremCount || gs[0].Eps.Sign() == 0 {
		return unit, false, nil
	}
	g := gs[0]
	k := g.Count
	w := p + 64
	e := w.Rat(g.Eps)
	asked := eps(w)
	i := int64(0)
	for i <= k/2 && w.Mul(interval.Int(k-2*i), e).LessEq(asked) != interval.True {
		i++
	}
	if i > k/2 {
		return unit, true, nil // below the least ε of the theorem
	}
	sum := zero
	c := big.NewInt(1)
	for l := int64(0); l < i; l++ {
		if err := ctx.Err(); err != nil {
			return unit, true, err
		}
		hi := w.Exp(w.Mul(interval.Int(k-l), e))
		lo := w.Exp(w.Mul(interval.Int(k-2*i+l), e))
		sum = w.Add(sum, w.Mul(w.BigInt(c), w.Sub(hi, lo)))
		c.Mul(c, big.NewInt(k-l))
		c.Quo(c, big.NewInt(l+1))
	}
	di := w.Div(sum, w.PowInt(w.Add(one, w.Exp(e)), k))
	m := infinite(w, gs)
	return atMost(w.Add(m, w.Mul(w.Sub(one, m), di))), true, nil
}
