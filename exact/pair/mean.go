// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/interval"
)

// Mean is one of several products, drawn with probabilities Shares > 0 of sum 1, and shows which:
//
//	(⊕ s_i·P_i, ⊕ s_i·Q_i), so that H_α = Σ s_i·H_α(P_i‖Q_i), and the law of the loss is the mean of theirs.
//
// At most one of the products is empty: it is nothing, which is seen. Some may be equal.
type Mean struct {
	Shares []*big.Rat
	Of     []Product
}

// Mixed is a product with a probability of at most 1, and otherwise nothing:
//
//	((1−q)·δ_⊥ + qP, (1−q)·δ_⊥ + qQ), so that H_α = (1−q)(1−α)₊ + q·H_α(P‖Q).
//
// Poisson sampling makes this of a guarantee that holds for replacing a record only.
func Mixed(rate *big.Rat, base Product) Mean {
	m := Mean{[]*big.Rat{rate}, []Product{base}}
	if rate.Cmp(ratOne) < 0 {
		m = Mean{append(m.Shares, new(big.Rat).Sub(ratOne, rate)), append(m.Of, nil)}
	}
	return m
}

// Nothing reports whether nothing may be drawn.
func (m Mean) Nothing() bool {
	return slices.ContainsFunc(m.Of, func(p Product) bool { return len(p) == 0 })
}

func (m Mean) String() string {
	var parts []string
	for i, p := range m.Of {
		parts = append(parts, m.Shares[i].RatString()+"·"+p.String())
	}
	return "Mean(" + strings.Join(parts, ", ") + ")"
}

func (m Mean) Reverse() Pair { return Mean{m.Shares, ReverseAll(m.Of)} }

// SelfDual: each product is self-dual, or its reverse is drawn with the same probability.
func (m Mean) SelfDual() bool {
	drawn := make(map[string]*big.Rat)
	for i, p := range m.Of {
		share, key := m.Shares[i], p.String()
		if others := drawn[key]; others != nil {
			share = new(big.Rat).Add(share, others)
		}
		drawn[key] = share
	}
	return !slices.ContainsFunc(m.Of, func(p Product) bool {
		back := drawn[p.Reverse().String()]
		return !p.SelfDual() && (back == nil || back.Cmp(drawn[p.String()]) != 0)
	})
}
func (m Mean) isReversed() bool {
	return !slices.ContainsFunc(m.Of, func(p Product) bool { return len(p) != 1 || !p[0].Pair.isReversed() })
}
func (m Mean) parts() []Product { return m.Of }

// Kind: the worst of theirs.
func (m Mean) Kind() Kind {
	kind := Discrete
	for _, p := range m.Of {
		kind = max(kind, p.Kind())
	}
	return kind
}
func (m Mean) infMass() (*big.Rat, bool) {
	sum := new(big.Rat)
	for i, p := range m.Of {
		inf, ok := InfMass(p)
		if !ok {
			return nil, false
		}
		sum.Add(sum, inf.Mul(inf, m.Shares[i]))
	}
	return sum, true
}

// reach is the greatest of those that have finite losses.
func (m Mean) reach() reach {
	if slices.ContainsFunc(m.Of, Unbounded) {
		return endless()
	}
	var out reach
	for _, p := range m.Of {
		if inf, ok := InfMass(p); ok && inf.Cmp(ratOne) == 0 {
			continue
		}
		l, ok := MaxLoss(p)
		known := least
		if !ok {
			l, ok = LossBound(p)
			known = bound
		}
		if !ok {
			return unknownReach()
		}
		if out.known == unknown || l.Add(out.top.Neg()).Cmp(new(big.Rat)) > 0 {
			out.top = l
		}
		if out.known == unknown || known == bound {
			out.known = known
		}
	}
	return out
}

// Outcomes: as in [Pair].
func (m Mean) Outcomes(p interval.Prec, limit int) (out []Outcome, rest interval.Interval, ok bool) {
	q := p + 16
	for i, prod := range m.Of {
		os, r, ok := ProductOutcomes(prod, q, limit-len(out))
		if !ok {
			return notListed()
		}
		share := q.Rat(m.Shares[i])
		for _, o := range os {
			o.P, o.Q = p.Round(q.Mul(share, o.P)), p.Round(q.Mul(share, o.Q))
			out = append(out, o)
		}
		rest = p.Add(rest, q.Mul(share, r))
	}
	return out, rest, true
}
