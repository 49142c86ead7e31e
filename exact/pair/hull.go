// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"slices"
	"strings"
	"sync"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Hull is the largest pair whose profile respects the points δ(Epsilon) ≤ Delta in both orientations [Zhu, Dong &
// Wang 2022, Proposition 8 and Corollary 26]. Its profile, as a function of α = e^ε, is the lower convex hull of
//
//   - (0, 1), and a horizontal line at infinity,
//   - the points (e^ε, δ),
//   - their mirror images (e^−ε, 1 − e^−ε + e^−ε·δ), which bound the other orientation.
//
// Every profile that respects the points lies below each chord of the hull, and the hull respects them: it is
// attained. Mirroring maps the set of points to itself, and so the hull: it is self-dual.
type Hull struct {
	points []mechanism.ProfilePoint
	known  *known
}

// known holds the most precise outcomes that were asked for.
type known struct {
	sync.Mutex
	prec interval.Prec
	out  []Outcome
}

// leastPrec is the precision that outcomes of a hull have at least: more than the methods ask for at
// first, at about the same cost.
const leastPrec interval.Prec = 192

func NewHull(points []mechanism.ProfilePoint) Pair {
	if len(points) == 1 && points[0].Epsilon.Sign() >= 0 {
		return Response{points[0].Epsilon, points[0].Delta}
	}
	return Hull{points: points, known: new(known)}
}

func (h Hull) Reverse() Pair { return h }
func (Hull) SelfDual() bool  { return true }
func (h Hull) String() string {
	parts := make([]string, len(h.points))
	for i, p := range h.points {
		parts[i] = p.Epsilon.RatString() + ":" + p.Delta.RatString()
	}
	return "Hull(" + strings.Join(parts, " ") + ")"
}

func (Hull) isReversed() bool { return false }
func (Hull) Kind() Kind       { return Discrete }
func (Hull) parts() []Product { return nil }

// infMass: the last point of the hull is the lowest one. The mirror image of (e^ε, δ) is not
// lower than it for ε ≥ 0, nor for δ = 1.
func (h Hull) infMass() (*big.Rat, bool) {
	least := big.NewRat(1, 1)
	for _, p := range h.points {
		if p.Epsilon.Sign() < 0 && p.Delta.Cmp(ratOne) < 0 {
			return nil, false
		}
		if p.Delta.Cmp(least) < 0 {
			least = p.Delta
		}
	}
	return least, true
}

// reach: the hull meets the line at its end first at the vertex there. All losses are ±ε of
// its points and the ±ε of lines through (0, 1), hence at most the greatest |ε|.
func (h Hull) reach() reach {
	if m, ok := h.infMass(); ok && m.Cmp(ratOne) < 0 {
		var first *big.Rat
		for _, p := range h.points {
			if p.Delta.Cmp(m) == 0 && (first == nil || p.Epsilon.Cmp(first) < 0) {
				first = p.Epsilon
			}
		}
		return upTo(RatLoss(first))
	}
	top := new(big.Rat)
	for _, p := range h.points {
		if e := new(big.Rat).Abs(p.Epsilon); e.Cmp(top) > 0 {
			top = e
		}
	}
	return within(RatLoss(top))
}

// Outcomes: as in [Pair].
func (h Hull) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if 2*len(h.points)+2 > limit {
		return notListed()
	}
	return h.remembered(p), interval.Interval{}, true
}

// remembered returns outcomes of at least precision p. They are computed once, not for each
// method that asks for them.
func (h Hull) remembered(p interval.Prec) []Outcome {
	k := h.known
	k.Lock()
	defer k.Unlock()
	if k.prec < p {
		k.prec = max(p, leastPrec)
		k.out = h.outcomes(k.prec)
	}
	return slices.Clone(k.out)
}

// A vertex is a point (α, d) with α = e^eps ≥ 1, or the anchor.
type vertex struct {
	eps         *big.Rat
	alpha, d    interval.Interval
	left, right interval.Interval // slopes
}

// fold returns the points with α ≥ 1: those given, and the mirror images of the others. One point is left
// at each α, the lowest.
func (h Hull) fold(q interval.Prec) []vertex {
	vs := make([]vertex, 0, len(h.points))
	for _, pt := range h.points {
		if pt.Epsilon.Sign() >= 0 {
			vs = append(vs, vertex{eps: pt.Epsilon, alpha: q.Exp(q.Rat(pt.Epsilon)), d: q.Rat(pt.Delta)})
			continue
		}
		// 1 − α + α·δ = α·(e^ε − (1 − δ)) at α = e^−ε
		e := q.Exp(q.Rat(pt.Epsilon))
		d := q.Div(q.Sub(e, q.Rat(new(big.Rat).Sub(ratOne, pt.Delta))), e)
		vs = append(vs, vertex{eps: new(big.Rat).Neg(pt.Epsilon), alpha: q.Inv(e), d: interval.Max(interval.Int(0), d)})
	}
	slices.SortStableFunc(vs, func(a, b vertex) int { return a.eps.Cmp(b.eps) })
	merged := vs[:1]
	for _, v := range vs[1:] {
		if last := &merged[len(merged)-1]; last.eps.Cmp(v.eps) == 0 {
			last.d = interval.Min(last.d, v.d)
		} else {
			merged = append(merged, v)
		}
	}
	return merged
}

// outcomes returns the pair's outcomes. Outcomes of negative loss mirror outcomes of positive loss: only α ≥ 1 is
// looked at.
//
// Lemma. For α ≥ 1 the hull C is the lower convex hull A of the anchor (−1, 1), of the points with α ≥ 1 and of the
// horizontal line. Proof: a hull is the supremum of the lines below its points. Let ℓ(α) = c + mα, m ≤ 0, be below
// those with α ≥ 1. It is below the mirror image of (α, d) if ℓ′(α) = m + 1 + (c − 1)α ≤ d, and
// ℓ′ − ℓ = (m + 1 − c)(1 − α). A line of A has ℓ(−1) = c − m ≤ 1: so ℓ′ ≤ ℓ for α ≥ 1, c ≤ 1 + m ≤ 1, and ℓ is
// below all points of C. A line ℓ of C has c ≤ 1; if it is none of A, then c − m > 1, so that ℓ′ ≥ ℓ for α ≥ 1,
// and ℓ′ is one of A: its slope is c − 1 ≤ 0 and ℓ′(−1) = 2 − (c − m) < 1. ∎
//
// A vertex at α > 1 has the Q-mass by which the slope of A jumps there, and its mirror image has that P-mass. The one
// at α = 1 has twice the jump of A: x·C(1/x) = C(x) + x − 1 gives C′(1−) = C(1) − 1 − C′(1+), where A has
// the slope (C(1) − 1)/2 on the left.
//
// The slope on the right of a vertex is the least to a point on its right, or 0, and the one on its left is the
// greatest from a point on its left; for a point that is no vertex their difference is not positive. Points that are on
// or above the chord of two others, for certain, are no vertices and take no part [Andrew 1979]. Let s_1 … s_n be the
// slopes between the others, in order, s_1 from the anchor. A slope between two of them, further apart, is a weighted
// mean of the s in between. So the least slope from point i to the right lies between the least of s_{i+1}, …, s_n and
// s_{i+1}, and the greatest slope from the left between s_i and the greatest of s_1, …, s_i. Those are equal where the
// order of the slopes is certain, and close where it is not: nothing needs to be decided.
func (h Hull) outcomes(p interval.Prec) []Outcome {
	q := p + 32
	vs := h.fold(q)
	slope := func(a, b vertex) interval.Interval {
		return q.Div(q.Sub(b.d, a.d), q.Sub(b.alpha, a.alpha))
	}
	one, zero := interval.Int(1), interval.Int(0)
	chain := []vertex{{alpha: interval.Int(-1), d: one}}
	slopes := []interval.Interval{{}}
	least := one
	for _, v := range vs {
		least = interval.Min(least, v.d)
		n := len(chain) - 1
		s := slope(chain[n], v)
		for n > 0 && s.LessEq(slopes[n]) == interval.True {
			n--
			s = slope(chain[n], v)
		}
		chain, slopes = append(chain[:n+1], v), append(slopes[:n+1], s)
	}
	next, lowest := zero, zero // the slope on the right, and the least of all on the right
	for i := len(chain) - 1; i > 0; i-- {
		chain[i].right = interval.Union(lowest, interval.Min(zero, next))
		next, lowest = slopes[i], interval.Min(lowest, slopes[i])
	}
	for i, highest := 1, slopes[1]; i < len(chain); i++ {
		highest = interval.Max(highest, slopes[i])
		chain[i].left = interval.Union(slopes[i], highest)
	}
	var up, down []Outcome // of losses ≥ 0, and < 0
	if !least.IsZero() {
		inf := p.Round(least)
		up, down = append(up, Outcome{P: inf}), append(down, Outcome{Q: inf})
	}
	for _, v := range slices.Backward(chain[1:]) {
		jump := interval.Max(zero, q.Sub(v.right, v.left))
		if jump.IsZero() {
			continue // no vertex, for certain
		}
		if v.eps.Sign() == 0 {
			m := p.Round(q.Scale(jump, 1))
			up = append(up, Outcome{P: m, Q: m, Exact: true})
			continue
		}
		o := Outcome{P: p.Round(q.Mul(v.alpha, jump)), Q: p.Round(jump), Loss: RatLoss(v.eps), Exact: true}
		up, down = append(up, o), append(down, o.reverse())
	}
	slices.Reverse(down)
	return append(up, down...)
}
