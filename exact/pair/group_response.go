// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// GroupResponse dominates groups of Size records under a guarantee of (ε, δ) for one, ε = Eps ≥ 0, 0 ≤ δ = Delta < 1.
//
// Claim. For one record no test of the level α has a power above
//
//	h(α) = min(1, δ + e^ε·α, 1 − e^−ε·(1 − δ − α)),
//
// and along a chain of k records no test has one above h∘…∘h, k times [Dong, Roth & Su 2022, Theorem 2.14]. The pair
// here has exactly those powers.
//
// Proof. h does not fall. Attained at each point by a chain of coins, the i-th of which has the probability
// h^{∘(k−i)}(α).
//
// The losses. h has the slope e^ε below a = (1 − δ)/(1 + e^ε), where it is 1 − a. From there to 1 − δ, where it is 1,
// its slope is e^−ε. Let b_i = h^{∘−i}(a). As h(α) ≥ α, an α in (b_{i+1}, b_i] is mapped i + 1 times with the first
// slope (or k times, if that is less), and with the second slope from then on. So the loss of these outcomes is (2i +
// 2 − k)·ε, and −kε above b_0.
type GroupResponse struct {
	Eps, Delta *big.Rat
	Size       int64 // ≥ 2
}

func (g GroupResponse) String() string {
	return fmt.Sprintf("GroupResponse(ε=%s, δ=%s, %d)", g.Eps.RatString(), g.Delta.RatString(), g.Size)
}

// Reverse is the pair itself: the graph of h is its own mirror image about α + y = 1, and so is the graph of h∘…∘h.
func (g GroupResponse) Reverse() Pair             { return g }
func (GroupResponse) SelfDual() bool              { return true }
func (GroupResponse) isReversed() bool            { return false }
func (GroupResponse) Kind() Kind                  { return Discrete }
func (GroupResponse) parts() []Product            { return nil }
func (g GroupResponse) infMass() (*big.Rat, bool) { return new(big.Rat), g.Delta.Sign() == 0 }
func (g GroupResponse) reach() reach {
	l := RatLoss(new(big.Rat).Mul(g.Eps, new(big.Rat).SetInt64(g.Size)))
	if g.Delta.Sign() == 0 {
		return upTo(l)
	}
	return within(l) // the outcomes of that loss may be none
}

// maxGroupBits bounds the precision up to which b_i is told from 0.
const maxGroupBits = 1 << 13

// Outcomes: as in [Pair].
func (g GroupResponse) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if g.Size+3 > int64(limit) {
		return notListed()
	}
	for w := p + 64; ; w *= 2 {
		out, sharp := g.outcomes(p, w)
		if sharp || w > maxGroupBits {
			return out, interval.Interval{}, true
		}
	}
}

// outcomes evaluates with w bits, and reports whether all masses have about p.
func (g GroupResponse) outcomes(p, w interval.Prec) (out []Outcome, sharp bool) {
	zero, one := interval.Int(0), interval.Int(1)
	e := w.Exp(w.Rat(g.Eps))
	delta, keep := w.Rat(g.Delta), w.Rat(new(big.Rat).Sub(ratOne, g.Delta))
	start := zero // h^{∘k}(0)
	for range g.Size {
		up := w.Add(delta, w.Mul(e, start))
		down := w.Sub(one, w.Div(w.Sub(keep, start), e))
		start = interval.Min(one, interval.Min(up, down))
	}
	end := w.Sub(one, start) // where h^{∘k} is 1, by symmetry
	sharp = true
	add := func(from, to interval.Interval, steps int64) {
		length := interval.Max(zero, w.Sub(to, from))
		if length.IsZero() {
			return
		}
		if length.Positive() != interval.True || length.RelativeBits(int(p)) < int(p) {
			sharp = false
		}
		loss := new(big.Rat).Mul(g.Eps, new(big.Rat).SetInt64(steps))
		mass := w.Mul(w.Exp(w.Rat(loss)), length)
		out = append(out, Outcome{P: p.Round(mass), Q: p.Round(length), Loss: RatLoss(loss), Exact: true})
	}
	if !start.IsZero() {
		out = append(out, Outcome{P: p.Round(start)}, Outcome{Q: p.Round(start)})
		if start.RelativeBits(int(p)) < int(p) {
			sharp = false
		}
	}
	// b is h^{∘−i}(a) while that is positive.
	b := w.Div(keep, w.Add(one, e))
	cut := interval.Min(end, b)
	add(cut, end, -g.Size)
	for i := range g.Size {
		below := zero
		if i < g.Size-1 {
			b = w.Div(w.Sub(b, delta), e)
			below = interval.Min(end, interval.Max(zero, b))
		}
		add(below, cut, 2*i+2-g.Size)
		if below.IsZero() {
			break
		}
		cut = below
	}
	return out, sharp
}

// Coins are some of the chains that attain a point, rounded to pairs that are dominated: for a level q of a rational
// number, a power of at most h^{∘k}(q), which a chain of coins with less than that power has as well.
func (g GroupResponse) Coins() []Product {
	const w = interval.Prec(128)
	zero, one := interval.Int(0), interval.Int(1)
	e := w.Exp(w.Rat(g.Eps))
	delta, keep := w.Rat(g.Delta), w.Rat(new(big.Rat).Sub(ratOne, g.Delta))
	var out []Product
	at := func(level *big.Rat) {
		power := w.Rat(level)
		for range g.Size {
			up := w.Add(delta, w.Mul(e, power))
			down := w.Sub(one, w.Div(w.Sub(keep, power), e))
			power = interval.Min(one, interval.Min(up, down))
		}
		least, _, ok := power.Rationals()
		if !ok || least.Cmp(level) <= 0 {
			return
		}
		f := NewFinite([]*big.Rat{least, new(big.Rat).Sub(ratOne, least)}, []*big.Rat{level, new(big.Rat).Sub(ratOne, level)})
		out = append(out, Product{{f, 1}})
	}
	if g.Delta.Sign() > 0 {
		at(new(big.Rat))
	}
	b := w.Div(keep, w.Add(one, e))
	for i := range g.Size {
		if i == 0 || i == g.Size/2 || i == g.Size-1 {
			if _, hi, ok := interval.Max(zero, b).Rationals(); ok && hi.Sign() > 0 {
				at(hi)
			}
		}
		b = w.Div(w.Sub(b, delta), e)
	}
	return out
}
