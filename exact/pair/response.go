// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Response is approximate randomized response, the pair of Kairouz, Oh &
// Viswanath 2015: with probability Delta the outcome reveals the input, and
// otherwise it is right with probability e^ε/(1 + e^ε), ε = Eps ≥ 0. It dominates
// every (ε, δ)-DP mechanism, and is one.
type Response struct{ Eps, Delta *big.Rat }

func (r Response) String() string {
	return fmt.Sprintf("Response(ε=%s, δ=%s)", r.Eps.RatString(), r.Delta.RatString())
}

// Reverse is the pair itself: both orientations are the same by a change of names.
func (r Response) Reverse() Pair             { return r }
func (Response) SelfDual() bool              { return true }
func (Response) isReversed() bool            { return false }
func (Response) Kind() Kind                  { return Discrete }
func (Response) parts() []Product            { return nil }
func (r Response) infMass() (*big.Rat, bool) { return r.Delta, true }
func (r Response) reach() reach {
	if r.Delta.Cmp(ratOne) == 0 {
		return unknownReach()
	}
	return upTo(RatLoss(r.Eps))
}

// Outcomes: as in [Pair].
func (r Response) Outcomes(p interval.Prec, _ int) ([]Outcome, interval.Interval, bool) {
	return r.outcomes(p), interval.Interval{}, true
}

// outcomes of approximate randomized response (P has the true bit).
func (r Response) outcomes(p interval.Prec) []Outcome {
	q := p + 16
	e := q.Exp(q.Rat(r.Eps))
	keep := q.Rat(new(big.Rat).Sub(ratOne, r.Delta))
	low := q.Div(keep, q.Add(interval.Int(1), e)) // (1 − δ)/(1 + e^ε)
	high := q.Mul(low, e)
	var out []Outcome
	if r.Delta.Sign() > 0 {
		d := p.Rat(r.Delta)
		out = append(out, Outcome{P: d}, Outcome{Q: d})
	}
	if keep.IsZero() {
		return out
	}
	if r.Eps.Sign() == 0 {
		k := p.Round(keep)
		return append(out, Outcome{P: k, Q: k, Exact: true})
	}
	return append(out,
		Outcome{P: p.Round(high), Q: p.Round(low), Loss: RatLoss(r.Eps), Exact: true},
		Outcome{P: p.Round(low), Q: p.Round(high), Loss: RatLoss(new(big.Rat).Neg(r.Eps)), Exact: true})
}
