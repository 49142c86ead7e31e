// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package rounded bounds what lists of probabilities may stand for that are known up to their
// rounding to binary64: whatever distributions they are the rounded values of, the
// profile lies between the profiles of two corners.
package rounded

import (
	"math/big"
	"slices"

	"dpverify/internal/number"
)

// A Corner says which end of each range is taken.
type Corner int

const (
	None    Corner = iota // a range is an error
	Private               // the end with the smaller privacy profile
	Exposed               // the end with the larger one
)

// Probabilities of one distribution, each known up to the rounding to binary64: all
// distributions p with lo_i ≤ p_i ≤ hi_i and sum exactly 1. Of a list that is exact, lo and hi
// are the list itself.
type Probabilities struct {
	lo, hi []*big.Rat
	exact  bool
}

// Exactly is a list of probabilities that sum to 1.
func Exactly(ps []*big.Rat) Probabilities { return Probabilities{ps, ps, true} }

// IsExact reports whether one distribution alone is meant.
func (p Probabilities) IsExact() bool { return p.exact }

// Least returns the list, of probabilities that are exact.
func (p Probabilities) Least() []*big.Rat { return p.lo }

// Around returns the distributions within half a unit in the last place of every
// element of a list of float64 values ≥ 0; a 0 is 0. ok is false if there is none: no rounding
// explains the sum. The error is about the list as a whole.
//
// Rounding to the nearest float64 x = m·2^e, 1/2 ≤ m < 1, moves a number by at most
// half(x) = 2^(max(e−53, −1074)−1); below a power of two the true bound is less. Some p with
// |p_i − x_i| ≤ half(x_i) and sum 1 exists iff Σ(x_i − half(x_i)) ≤ 1 ≤ Σ(x_i + half(x_i)), since
// the sum takes all values in between. All x_i − half(x_i) are > 0.
func Around(xs []*big.Rat) (p Probabilities, ok bool, err error) {
	for _, x := range xs {
		half := halfUnit(x)
		p.lo = append(p.lo, new(big.Rat).Sub(x, half))
		p.hi = append(p.hi, new(big.Rat).Add(x, half))
	}
	least, err := number.Sum(p.lo)
	if err != nil {
		return p, false, err
	}
	most, err := number.Sum(p.hi)
	if err != nil {
		return p, false, err
	}
	return p, least.Num().Cmp(least.Denom()) <= 0 && most.Num().Cmp(most.Denom()) >= 0, nil
}

// halfUnit is half a unit in the last place of a float64 x ≥ 0, and 0 for 0.
func halfUnit(x *big.Rat) *big.Rat {
	if x.Sign() == 0 {
		return new(big.Rat)
	}
	// x has a power of two as its denominator, so that 2^(e−1) ≤ x < 2^e.
	e := x.Num().BitLen() - (x.Denom().BitLen() - 1)
	return powerOfTwo(max(e-53, -1074) - 1)
}

func powerOfTwo(k int) *big.Rat {
	x, _ := new(big.Float).SetMantExp(big.NewFloat(1), k).Rat(nil)
	return x
}

// filled returns the distribution that puts as much mass as any on every initial segment of
// order, a permutation of the indices, and so as little as any on every final one.
//
// It takes lo and gives what is missing from 1 to the first elements, each up to hi. On the
// initial segment U it has min(hi(U), 1 − lo(rest)), which no distribution exceeds.
func (p Probabilities) filled(order []int) []*big.Rat {
	if p.exact {
		return p.lo
	}
	left := big.NewRat(1, 1)
	for _, x := range p.lo {
		left.Sub(left, x)
	}
	out := slices.Clone(p.lo)
	for _, i := range order {
		if left.Sign() == 0 {
			break
		}
		more := new(big.Rat).Sub(p.hi[i], p.lo[i])
		if more.Cmp(left) > 0 {
			more.Set(left)
		}
		out[i] = new(big.Rat).Add(p.lo[i], more)
		left.Sub(left, more)
	}
	return out
}

// An outcomeGroup is a set of outcomes of two lists of rounded probabilities, and a range that
// contains P(x)/Q(x) for each of its outcomes x and all distributions of the lists.
type outcomeGroup struct {
	outcomes []int
	lo, hi   *big.Rat // of single outcomes
	from, to *big.Rat // contains [lo, hi]; to − from is a power of two where there is more than one outcome
}

// contain sets the range of a group from lo and hi. A power of two keeps the masses of the
// exposed corner in binary.
//
// With a power of two u > hi − lo, from = ⌊lo/u⌋·u is ≥ 0, ≤ lo and > lo − u, and
// to = from + 2u > lo + u > hi.
func (g outcomeGroup) contain() outcomeGroup {
	if len(g.outcomes) == 1 {
		g.from, g.to = g.lo, g.hi
		return g
	}
	w := new(big.Rat).Sub(g.hi, g.lo)
	unit := powerOfTwo(w.Num().BitLen() - w.Denom().BitLen() + 1) // > w
	n := new(big.Rat).Quo(g.lo, unit)
	floor := new(big.Int).Div(n.Num(), n.Denom())
	g.from = new(big.Rat).Mul(new(big.Rat).SetInt(floor), unit)
	g.to = new(big.Rat).Add(g.from, new(big.Rat).Add(unit, unit))
	return g
}

// groups partitions the outcomes of non-zero probability such that the ratios of different
// groups lie in disjoint ranges, and returns the groups in falling order of ratio. Where Q is 0
// the ratio is infinite, where P is 0 it is 0; both ranges are nil. Outcomes of such groups have
// one ratio, whatever the distributions are.
func groups(p, q Probabilities) []outcomeGroup {
	var infinite, none outcomeGroup
	var single []outcomeGroup
	for i := range p.hi {
		switch inP, inQ := p.hi[i].Sign() > 0, q.hi[i].Sign() > 0; {
		case inP && inQ:
			g := outcomeGroup{outcomes: []int{i}, lo: new(big.Rat).Quo(p.lo[i], q.hi[i]), hi: new(big.Rat).Quo(p.hi[i], q.lo[i])}
			single = append(single, g.contain())
		case inP:
			infinite.outcomes = append(infinite.outcomes, i)
		case inQ:
			none.outcomes = append(none.outcomes, i)
		}
	}
	slices.SortStableFunc(single, func(a, b outcomeGroup) int { return a.lo.Cmp(b.lo) })
	var rising []outcomeGroup
	for _, g := range single {
		for n := len(rising); n > 0 && rising[n-1].to.Cmp(g.from) >= 0; n = len(rising) {
			below := rising[n-1]
			rising = rising[:n-1]
			merged := outcomeGroup{outcomes: append(below.outcomes, g.outcomes...), lo: below.lo, hi: below.hi}
			if g.lo.Cmp(merged.lo) < 0 {
				merged.lo = g.lo
			}
			if g.hi.Cmp(merged.hi) > 0 {
				merged.hi = g.hi
			}
			g = merged.contain()
		}
		rising = append(rising, g)
	}
	slices.Reverse(rising)
	falling := slices.Concat([]outcomeGroup{infinite}, rising, []outcomeGroup{none})
	return slices.DeleteFunc(falling, func(g outcomeGroup) bool { return len(g.outcomes) == 0 })
}

// Pair returns a pair whose profile is at most (private) or at least (exposed) the profile of every
// pair (P, Q) of distributions of the two lists, at every real ε. By Blackwell's theorem it is
// then a post-processing of it, or has it as one, and so are compositions, samples and reverses.
//
// Let G_1, G_2, … be the groups in falling order of ratio and U_k = G_1 ∪ … ∪ G_k.
//
//   - Private: one outcome for each group, with the distributions P° that has the least mass on
//     every U_k and Q° that has the most. Their ratios fall with k like the ratios of all members, so
//     that the profile is max_k P°(U_k) − e^ε·Q°(U_k) ≤ max_k P(U_k) − e^ε·Q(U_k) ≤ δ(ε).
//   - Exposed: P° has the most mass on every U_k and Q° the least. A group of several outcomes has
//     two, of the ratios from and to, and the same masses in sum. If e^ε is in the range of G_k, or
//     between it and the range of G_(k+1), then with U = U_(k−1) and G = G_k
//     δ(ε) = P(U) − e^ε·Q(U) + Σ_G (P(x) − e^ε·Q(x))₊. The sum is at most t·(P(G) − from·Q(G)) with
//     t = (to − e^ε)₊/(to − from) in [0, 1], since (r − e^ε)₊ is convex in r; for the two
//     outcomes it is equal. With e^ε = (1 − t)·to + t·from the bound is
//     (1−t)·[P(U) − to·Q(U)] + t·[P(U∪G) − from·Q(U∪G)], which P° and Q° make greatest. A group of
//     one outcome has only (P(G) − e^ε·Q(G))₊, the larger of two such terms at U and U∪G.
func (c Corner) Pair(p, q Probabilities) (ps, qs []*big.Rat) {
	gs := groups(p, q)
	var falling []int
	for _, g := range gs {
		falling = append(falling, g.outcomes...)
	}
	rising := slices.Clone(falling)
	slices.Reverse(rising)
	first, last := falling, rising // what P and Q fill first
	if c == Private {
		first, last = rising, falling
	}
	inP, inQ := p.filled(first), q.filled(last)
	add := func(x, y *big.Rat) {
		if x.Sign() > 0 || y.Sign() > 0 {
			ps, qs = append(ps, x), append(qs, y)
		}
	}
	for _, g := range gs {
		x, y := new(big.Rat), new(big.Rat)
		for _, i := range g.outcomes {
			x.Add(x, inP[i])
			y.Add(y, inQ[i])
		}
		if c == Private || g.to == nil || len(g.outcomes) == 1 {
			add(x, y)
			continue
		}
		// high = (x − from·y)/(to − from) under Q, so that to·high + from·(y − high) = x.
		high := new(big.Rat).Sub(x, new(big.Rat).Mul(g.from, y))
		high.Quo(high, new(big.Rat).Sub(g.to, g.from))
		above := new(big.Rat).Mul(g.to, high)
		add(above, high)
		add(new(big.Rat).Sub(x, above), new(big.Rat).Sub(y, high))
	}
	return ps, qs
}

// Mixture returns the weights of a mixture Σ p_i·N(c_i, σ²) whose profile against N(0, σ²) is at
// most (private) or at least (exposed) the profile of all weights of the list, at every ε and in both
// orientations.
//
// The ratio Σ p_i·e^{(c_i·x − c_i²/2)/σ²} rises in x, as c_i ≥ 0: the sets {L > ε} are half-lines
// {x > t}, and their complements. P(x > t) = Σ p_i·P(N(c_i, σ²) > t) grows if mass moves to larger c_i,
// at each t; Q stays. So δ(ε) = max_t P(x > t) − e^ε·Q(x > t) grows, and likewise reversed.
func (c Corner) Mixture(p Probabilities, sensitivities []*big.Rat) []*big.Rat {
	order := make([]int, len(sensitivities))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return sensitivities[i].Cmp(sensitivities[j]) })
	if c == Exposed {
		slices.Reverse(order)
	}
	return p.filled(order)
}
