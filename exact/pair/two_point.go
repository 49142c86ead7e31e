// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// TwoPoint has the two losses Up and −Down, both > 0: a choice between two candidates by the
// exponential mechanism with ε = Up + Down.
type TwoPoint struct{ Up, Down *big.Rat }

func (t TwoPoint) String() string {
	return fmt.Sprintf("TwoPoint(%s, −%s)", t.Up.RatString(), t.Down.RatString())
}

func (t TwoPoint) Reverse() Pair           { return TwoPoint{t.Down, t.Up} }
func (t TwoPoint) SelfDual() bool          { return t.Up.Cmp(t.Down) == 0 }
func (TwoPoint) isReversed() bool          { return false }
func (TwoPoint) Kind() Kind                { return Discrete }
func (TwoPoint) parts() []Product          { return nil }
func (TwoPoint) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (t TwoPoint) reach() reach            { return upTo(RatLoss(t.Up)) }

// Outcomes: as in [Pair].
func (t TwoPoint) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if limit < 2 {
		return notListed()
	}
	return t.outcomes(p), interval.Interval{}, true
}

// outcomes: from p + p′ = 1, e^−a·p + e^b·p′ = 1 with a = Up, b = Down,
//
//	p = (1 − e^−b)/(1 − e^−(a+b)),  p′ = e^−b·(1 − e^−a)/(1 − e^−(a+b)),
//
// and q = e^−a·p, q′ = e^b·p′.
func (t TwoPoint) outcomes(p interval.Prec) []Outcome {
	w := p + 16
	a, b := w.Rat(t.Up), w.Rat(t.Down)
	fall := func(x interval.Interval) interval.Interval { return w.Expm1(x.Neg()).Neg() } // 1 − e^−x
	all := fall(w.Rat(new(big.Rat).Add(t.Up, t.Down)))
	up, down := w.Div(fall(b), all), w.Div(fall(a), all)
	return []Outcome{
		{P: p.Round(up), Q: p.Round(w.Mul(w.Exp(a.Neg()), up)), Loss: RatLoss(t.Up), Exact: true},
		{P: p.Round(w.Mul(w.Exp(b.Neg()), down)), Q: p.Round(down), Loss: RatLoss(new(big.Rat).Neg(t.Down)), Exact: true},
	}
}
