// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
)

// DiscreteLaplace is (DLap(a), Sensitivity + DLap(a)): masses ∝ e^(−a|x|) on the
// integers, a > 0.
type DiscreteLaplace struct {
	A           *big.Rat
	Sensitivity int64
}

func (d DiscreteLaplace) String() string {
	return fmt.Sprintf("DiscreteLaplace(%s, %d)", d.A.RatString(), d.Sensitivity)
}

// Reverse is the pair itself: for noise of a symmetric density f, x ↦ Δ − x maps f(x) to f(x − Δ) and back.
func (d DiscreteLaplace) Reverse() Pair           { return d }
func (DiscreteLaplace) SelfDual() bool            { return true }
func (DiscreteLaplace) isReversed() bool          { return false }
func (DiscreteLaplace) Kind() Kind                { return Discrete }
func (DiscreteLaplace) parts() []Product          { return nil }
func (DiscreteLaplace) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (d DiscreteLaplace) reach() reach {
	return upTo(RatLoss(new(big.Rat).Mul(d.A, new(big.Rat).SetInt64(d.Sensitivity))))
}

// Outcomes: as in [Pair].
func (d DiscreteLaplace) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if d.Sensitivity >= int64(limit) {
		return notListed()
	}
	return d.outcomes(p), interval.Interval{}, true
}

// outcomes: with r = e^−a the masses are P(x) = r^|x|·(1−r)/(1+r) and the loss at x
// is a(|x − s| − |x|): as for x ≤ 0, −as for x ≥ s and a(s − 2x) between.
//
// P(x ≤ 0) = 1/(1+r), P(x ≥ s) = r^s/(1+r), and Q mirrors P at s/2.
func (d DiscreteLaplace) outcomes(p interval.Prec) []Outcome {
	q := p + 16 + interval.Prec(bits.Len64(uint64(d.Sensitivity)))
	a := q.Rat(d.A)
	r := q.Exp(a.Neg())
	inv := q.Inv(q.Add(interval.Int(1), r))
	c := q.Mul(q.Expm1(a.Neg()).Neg(), inv) // (1 − r)/(1 + r)
	s := d.Sensitivity
	ps := make([]interval.Interval, s+1)
	ps[0] = inv
	ps[s] = q.Mul(q.Exp(q.Mul(a, interval.Int(-s))), inv)
	for x := int64(1); x < s; x++ {
		ps[x] = q.Mul(c, q.Exp(q.Mul(a, interval.Int(-x))))
	}
	out := make([]Outcome, s+1)
	for x := range ps {
		loss := new(big.Rat).Mul(d.A, new(big.Rat).SetInt64(s-2*int64(x)))
		out[x] = Outcome{P: p.Round(ps[x]), Q: p.Round(ps[s-int64(x)]), Loss: RatLoss(loss), Exact: true}
	}
	return out
}
