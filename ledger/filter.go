// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"fmt"
	"math"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
	"dpverify/number"
)

// FilterTheorem is what makes a Filter sound.
const FilterTheorem = "Feldman & Zrnic 2021, Theorem 3.1"

// A Filter is a Rényi filter: while the divergences of one order α add up to at most a bound B(α),
// the events satisfy (ε, δ)-DP together, however each was chosen in view of the outputs before
// it. α, ε and δ must be fixed before the first event. The theorem and its proof are in
// docs/theorems.md.
type Filter struct {
	Order    renyi.Order
	Gaussian bool     // instead of an order: Σ 1/σ² of Gaussian noise counts
	Bound    *big.Rat // B(α), rounded down
	Spent    *big.Rat // the sum of what was accepted
}

// Theorem is what makes the filter sound.
func (f *Filter) Theorem() string {
	if f.Gaussian {
		return GaussianTheorem
	}
	return FilterTheorem
}

// bits is the precision of bounds.
const bits = interval.Prec(128)

// NewFilter returns a filter for (eps, delta) that has spent nothing: eps ≥ 0, 0 ≤ delta < 1. The error is a
// *mechanism.ParamError where the order has no bound.
func NewFilter(eps, delta *big.Rat, order renyi.Order) (*Filter, error) {
	b, ok := bound(eps, delta, order)
	if !ok {
		return nil, &mechanism.ParamError{
			Field: "order", Value: order.String(),
			Want: fmt.Sprintf("an order above 1, or inf, of which some divergence gives (%s, %s)-DP", number.Format(eps), number.Format(delta)),
		}
	}
	return &Filter{Order: order, Bound: b, Spent: new(big.Rat)}, nil
}

// bound returns a lower bound of the greatest R for which R_α ≤ R implies (eps, delta)-DP by the
// conversion of CKS, ε = R + (c(t) + log(1/δ))/t, t = α − 1; R_∞ ≤ ε gives (ε, 0)-DP. It is false if there
// is no such R ≥ 0.
func bound(eps, delta *big.Rat, order renyi.Order) (*big.Rat, bool) {
	alpha, finite := order.Rat()
	switch {
	case !finite:
		return new(big.Rat).Set(eps), true
	case alpha.Cmp(big.NewRat(1, 1)) <= 0 || delta.Sign() == 0:
		return nil, false
	}
	nothing := func(interval.Prec, renyi.Order) interval.Interval { return interval.Int(0) }
	extra := renyi.CKS.Epsilon(bits, nothing, bits.Rat(delta), []*big.Rat{alpha})
	lo := bits.Sub(bits.Rat(eps), extra.Interval).Lo()
	if lo.IsInf() || lo.Sign() < 0 {
		return nil, false
	}
	b, _ := lo.Rat(nil)
	return b, true
}

// DefaultOrder returns the order at which Gaussian noise, R_α = αρ, can be used most often within
// (eps, delta), or nearly: α of two or three digits with the greatest B(α)/α. It depends on nothing else.
func DefaultOrder(eps, delta *big.Rat) renyi.Order {
	e, _ := eps.Float64()
	d, _ := delta.Float64()
	best, order := 0.0, renyi.Infinity
	try := func(alpha *big.Rat) {
		a, _ := alpha.Float64()
		t := a - 1
		b := e - (-t*math.Log1p(1/t)-math.Log1p(t)-math.Log(d))/t // c(t) = t·log(t/(1+t)) − log(1+t)
		if b/a > best {
			best, order = b/a, renyi.At(alpha)
		}
	}
	if d == 0 {
		return order
	}
	for i := int64(1); i < 100; i++ {
		try(big.NewRat(100+i, 100))
	}
	for i := int64(20); i < 100; i++ {
		try(big.NewRat(i, 10))
	}
	for unit := int64(1); unit <= 1e9; unit *= 10 {
		for i := int64(10); i < 100; i++ {
			try(big.NewRat(i*unit, 1))
		}
	}
	if _, ok := bound(eps, delta, order); !ok { // where rounding makes the difference
		return renyi.Infinity
	}
	return order
}

// Left is how much more may be spent.
func (f *Filter) Left() *big.Rat { return new(big.Rat).Sub(f.Bound, f.Spent) }

// Take accepts an event of which the divergence is at most loss, nil for ∞, or refuses it. A refused event
// must not run, and is not counted.
func (f *Filter) Take(loss *big.Rat) bool {
	if loss == nil || loss.Sign() < 0 {
		return false
	}
	sum := new(big.Rat).Add(f.Spent, loss)
	if sum.Cmp(f.Bound) > 0 {
		return false
	}
	f.Spent = sum
	return true
}

// GaussianTheorem is what makes a Gaussian filter sound.
const GaussianTheorem = "Smith & Thakurta 2022; Koskela, Tobaben & Honkela 2022"
