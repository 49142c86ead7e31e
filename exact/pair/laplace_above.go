// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// LaplaceAbove tells whether Laplace noise exceeds a threshold: X + x > τ against X > τ, x = Shift,
// τ = Threshold, 0 < τ ≤ x. It is the choice of permute-and-flip with ε = x between two
// candidates: the difference of two exponential variables of rate x/2 is Laplace noise of
// scale 2/x, and neighbours move the difference of two scores by up to 2.
//
// Reversed swaps the two, which is the threshold x − τ from the other side.
type LaplaceAbove struct {
	Shift, Threshold *big.Rat
	Reversed         bool
}

func (l LaplaceAbove) String() string {
	return fmt.Sprintf("LaplaceAbove(%s, %s)%s", l.Shift.RatString(), l.Threshold.RatString(), reversedMark(l.Reversed))
}

// Reverse is the pair itself at τ = x/2: both are one biased coin and its mirror image.
func (l LaplaceAbove) Reverse() Pair {
	l.Reversed = !l.Reversed
	return l
}
func (l LaplaceAbove) SelfDual() bool {
	return new(big.Rat).Add(l.Threshold, l.Threshold).Cmp(l.Shift) == 0
}
func (l LaplaceAbove) isReversed() bool        { return l.Reversed }
func (LaplaceAbove) Kind() Kind                { return Discrete }
func (LaplaceAbove) parts() []Product          { return nil }
func (LaplaceAbove) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (l LaplaceAbove) reach() reach {
	// A threshold changes the loss of Laplace noise to an average of it, or of its neighbours.
	if !l.Reversed && l.Threshold.Cmp(l.Shift) == 0 {
		return upTo(RatLoss(l.Shift))
	}
	return within(RatLoss(l.Shift))
}

// Outcomes: as in [Pair].
func (l LaplaceAbove) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if limit < 2 {
		return notListed()
	}
	return l.outcomes(p), interval.Interval{}, true
}

// outcomes: P(X > τ − x) = 1 − e^{τ−x}/2 and P(X > τ) = e^−τ/2. At τ = x they are 1/2 and e^−x/2, of loss
// x.
func (l LaplaceAbove) outcomes(p interval.Prec) []Outcome {
	w := p + 16
	half := w.Scale(interval.Int(1), -1)
	tail := func(x *big.Rat) interval.Interval { return w.Mul(half, w.Exp(w.Rat(x).Neg())) } // x ≥ 0
	below, above := tail(new(big.Rat).Sub(l.Shift, l.Threshold)), tail(l.Threshold)
	one := interval.Int(1)
	yes := Outcome{P: p.Round(w.Sub(one, below)), Q: p.Round(above)}
	no := Outcome{P: p.Round(below), Q: p.Round(w.Sub(one, above))}
	if l.Threshold.Cmp(l.Shift) == 0 {
		yes.Loss, yes.Exact = RatLoss(l.Shift), true
	}
	if l.Reversed {
		return []Outcome{no.reverse(), yes.reverse()}
	}
	return []Outcome{yes, no}
}
