// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convert

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// maxLossBits bounds the precision at which masses under Q are known.
const maxLossBits = 1 << 16

// masses returns pairs on both sides of the one whose losses are a table: p_i at the loss ℓ_i under P, and
// q_i = p_i·e^−ℓ_i under Q, and what Q has left at a loss of −∞. H_α = Σ(p_i − αq_i)₊ falls in each q_i, so that
// the pair with all of them rounded down has at least its profile, and rounded up at most.
//
// Rounded up they sum to at most 1 at some precision, if e^−ℓ_i·p_i do: by the theorem of Lindemann and Weierstrass the
// sum of finitely many p_i·e^−ℓ_i of rational p_i > 0 and ℓ_i is rational only where all ℓ_i are 0, and there it is
// exact.
func (t Table) masses(bits int) (mechanism.Range, error) {
	var ps []*big.Rat
	for _, p := range t.Points {
		ps = append(ps, p.Y)
	}
	sum, err := number.Sum(ps)
	if err != nil {
		return mechanism.Range{}, err
	}
	if !sum.IsOne() {
		return mechanism.Range{}, &mechanism.ParamError{Field: "mass", Value: "a sum of " + sum.String(),
			Want: "a sum of exactly 1"}
	}
	for ; bits <= maxLossBits; bits *= 2 {
		lows, highs, exact := t.underQ(interval.Prec(bits))
		more, fits := pairOf(ps, highs)
		less, admitted := pairOf(ps, lows)
		switch {
		case !admitted:
			return mechanism.Range{}, t.noPair("mass",
				"mass·e^−loss with a sum of at most 1: more than all of Q cannot have these losses")
		case fits && exact:
			return mechanism.Range{MorePrivate: less, LessPrivate: less}, nil
		case fits:
			return mechanism.Range{MorePrivate: more, LessPrivate: less,
				Reason: fmt.Sprintf("masses under Q, mass·e^−loss, are rounded to %d bits: the answer covers both ways", bits)}, nil
		}
	}
	return mechanism.Range{}, t.noPair("mass",
		fmt.Sprintf("mass·e^−loss with a sum that is known to be at most 1 at %d bits", maxLossBits))
}

func (t Table) noPair(field, want string) error {
	return &mechanism.ParamError{Field: field, Value: fmt.Sprintf("%d points", len(t.Points)), Want: want}
}

// underQ returns bounds of p·e^−ℓ for each point, and whether they are equal.
func (t Table) underQ(w interval.Prec) (lows, highs []*big.Rat, exact bool) {
	exact = true
	for _, p := range t.Points {
		lo, hi := scaled(w, p.Y, p.X)
		lows, highs = append(lows, lo), append(highs, hi)
		exact = exact && lo.Cmp(hi) == 0
	}
	return lows, highs, exact
}

// scaled returns bounds of m·e^−x; x is nil for ∞.
func scaled(w interval.Prec, m, x *big.Rat) (lo, hi *big.Rat) {
	switch {
	case x == nil || m.Sign() == 0:
		return new(big.Rat), new(big.Rat)
	case x.Sign() == 0:
		return m, m
	}
	e := w.Mul(w.Rat(m), w.Exp(w.Rat(x).Neg()))
	lo, hi, ok := e.Rationals()
	if !ok { // beyond all exponents
		return new(big.Rat), ratOne
	}
	return lo, hi
}

// pairOf returns the pair of masses under P, which sum to 1, and under Q, whose rest has no mass under P; false if
// these sum to more than 1.
func pairOf(ps, qs []*big.Rat) (mechanism.FinitePair, bool) {
	rest := new(big.Rat).Set(ratOne)
	e := mechanism.FinitePair{}
	for i, p := range ps {
		if p.Sign() == 0 {
			continue
		}
		e.P, e.Q = append(e.P, p), append(e.Q, qs[i])
		rest.Sub(rest, qs[i])
	}
	e.P, e.Q = append(e.P, new(big.Rat)), append(e.Q, rest)
	return e, rest.Sign() >= 0
}

// A cell is a part of a distribution of the loss: P has a mass on losses in (Lo, Hi]. Nil is −∞ as Lo and ∞ as Hi.
type cell struct {
	lo, hi *big.Rat
	mass   *big.Rat
}

// cells are the parts of the loss between points of its tail: m_i = P(x_i < L ≤ x_(i+1)), and two at the ends.
func (t Table) cells() []cell {
	first := t.Points[0]
	cs := []cell{{nil, first.X, new(big.Rat).Sub(ratOne, first.Y)}}
	for i, p := range t.Points {
		c := cell{p.X, nil, p.Y}
		if i+1 < len(t.Points) {
			next := t.Points[i+1]
			c.hi, c.mass = next.X, new(big.Rat).Sub(p.Y, next.Y)
		}
		cs = append(cs, c)
	}
	return cs
}

const betweenPoints = "the loss is known at the points of the table only: the answer covers all that it may be " +
	"between them"

// tails returns pairs on both sides of every pair (P, Q) whose loss has the tail P(L > x_i) = y_i.
//
// Above: H_α = E_P[(1 − αe^−L)₊] rises with L, so that the mass of each cell may be put at its upper end, and the last
// one at ∞. If masses under Q of that, which are the least that there may be, sum to more than 1, no pair has the
// tails.
//
// Below: let all outcomes with a loss of at most x_k be merged. No profile rises when outcomes are merged. Let q_i be
// m_i·e^−x_i for i ≥ k, which is at least what Q has of the i-th cell. The merged outcome has r = 1 − Σ m_i under P;
// let it have s = 1 − Σ q_i under Q, if that is positive and r/s ≤ m_i/q_i for all these i. Then for α < r/s all
// outcomes of the new pair have a loss above log α, and H_α = 1 − α, the least there is; and for larger α it is Σ(m_i −
// αq_i)₊, which by the convexity of x ↦ (1 − αx)₊ is at most what the cells have. The least such k is taken. If there
// is none, two equal distributions have the least profile of all.
func (t Table) tails(bits int) (mechanism.Range, error) {
	w, cs := interval.Prec(bits), t.cells()
	var ps, qs []*big.Rat
	for _, c := range cs {
		lo, _ := scaled(w, c.mass, c.hi)
		ps, qs = append(ps, c.mass), append(qs, lo)
	}
	less, ok := pairOf(ps, qs)
	if !ok {
		return mechanism.Range{}, t.noPair("tail",
			"masses whose sum of mass·e^−loss is at most 1: more than all of Q cannot have these losses")
	}
	more := mechanism.FinitePair{P: []*big.Rat{ratOne}, Q: []*big.Rat{ratOne}}
	r, s := new(big.Rat).Set(ratOne), new(big.Rat).Set(ratOne)
	var above mechanism.FinitePair
	// least is the least of the m_i/q_i, which may be less than e^x_k, as the q_i are rounded up.
	var least *big.Rat
	for i := len(cs) - 1; i > 0; i-- { // the cell before all points is merged at any rate
		c := cs[i]
		_, hi := scaled(w, c.mass, c.lo)
		r.Sub(r, c.mass)
		s.Sub(s, hi)
		if s.Sign() <= 0 {
			break
		}
		if c.mass.Sign() > 0 {
			above.P, above.Q = append(above.P, c.mass), append(above.Q, hi)
			if ratio := new(big.Rat).Quo(c.mass, hi); least == nil || ratio.Cmp(least) < 0 {
				least = ratio
			}
		}
		if least != nil && new(big.Rat).Quo(r, s).Cmp(least) <= 0 {
			more.P = append([]*big.Rat{new(big.Rat).Set(r)}, above.P...)
			more.Q = append([]*big.Rat{new(big.Rat).Set(s)}, above.Q...)
		}
	}
	return mechanism.Range{MorePrivate: more, LessPrivate: less, Reason: betweenPoints}, nil
}
