// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Mixed is the base pair with probability q = Rate, and otherwise nothing, which is seen:
//
//	((1−q)·δ_⊥ + qP, (1−q)·δ_⊥ + qQ), so that H_α = (1−q)(1−α)₊ + q·H_α(P‖Q).
//
// Poisson sampling makes this of a guarantee that holds for replacing a record only.
type Mixed struct {
	Rate *big.Rat
	Base Product
}

func (m Mixed) String() string { return fmt.Sprintf("Mixed(%s, %s)", m.Rate.RatString(), m.Base) }

func (m Mixed) Reverse() Pair    { return Mixed{m.Rate, m.Base.Reverse()} }
func (m Mixed) SelfDual() bool   { return m.Base.SelfDual() }
func (Mixed) isReversed() bool   { return false }
func (m Mixed) Kind() Kind       { return m.Base.Kind() }
func (m Mixed) parts() []Product { return []Product{m.Base} }
func (m Mixed) infMass() (*big.Rat, bool) {
	inf, ok := InfMass(m.Base)
	if !ok {
		return nil, false
	}
	return new(big.Rat).Mul(m.Rate, inf), true
}
func (m Mixed) reach() reach {
	if l, ok := MaxLoss(m.Base); ok {
		return upTo(l.orZero()) // "nothing" has loss 0
	}
	if Unbounded(m.Base) {
		return endless()
	}
	return unknownReach()
}

// Outcomes: as in [Pair].
func (m Mixed) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	base, rest, ok := ProductOutcomes(m.Base, p+16, limit-1)
	if !ok {
		return notListed()
	}
	return m.outcomes(p, base), rest, true
}

// outcomes of a mixture with nothing: the base's, scaled, and one of loss 0.
func (m Mixed) outcomes(p interval.Prec, base []Outcome) []Outcome {
	q := p + 16
	rate := q.Rat(m.Rate)
	keep := p.Rat(new(big.Rat).Sub(ratOne, m.Rate))
	out := []Outcome{{P: keep, Q: keep, Exact: true}}
	for _, b := range base {
		b.P, b.Q = p.Round(q.Mul(rate, b.P)), p.Round(q.Mul(rate, b.Q))
		out = append(out, b)
	}
	return out
}
