// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
)

// Sampled is Poisson sampling at Rate γ ∈ (0, 1) of the product (P, Q) = Base:
// ((1−γ)Q + γP, Q), the record removed, or (Q, (1−γ)Q + γP) when Reversed
// [Zhu, Dong & Wang 2022, Theorem 11, corrected: either direction starts from
// the base pair of the same direction].
type Sampled struct {
	Rate     *big.Rat
	Base     Product
	Reversed bool
}

func (s Sampled) String() string {
	return fmt.Sprintf("Sampled(%s, %s)%s", s.Rate.RatString(), s.Base, reversedMark(s.Reversed))
}

func (s Sampled) Reverse() Pair {
	s.Reversed = !s.Reversed
	return s
}
func (Sampled) SelfDual() bool     { return false }
func (s Sampled) isReversed() bool { return s.Reversed }
func (s Sampled) Kind() Kind       { return s.Base.Kind() }
func (s Sampled) parts() []Product { return []Product{s.Base} }
func (s Sampled) infMass() (*big.Rat, bool) {
	if s.Reversed {
		return new(big.Rat), true // (1−γ)Q + γP > 0 wherever Q > 0
	}
	m, ok := InfMass(s.Base)
	if !ok {
		return nil, false
	}
	return new(big.Rat).Mul(s.Rate, m), true
}
func (s Sampled) reach() reach {
	// The losses are log(1 − γ + γ·e^l) ≤ max(0, l), and −log(1 − γ + γ·e^l) ≤ −log(1 − γ) when
	// reversed.
	if s.Reversed {
		return within(LogLoss(new(big.Rat).Inv(new(big.Rat).Sub(ratOne, s.Rate))))
	}
	if l, ok := LossBound(s.Base); ok {
		if l.Cmp(new(big.Rat)) < 0 {
			l = Loss{}
		}
		return within(l)
	}
	if Unbounded(s.Base) {
		return endless()
	}
	return unknownReach()
}

// Outcomes: as in [Pair].
func (s Sampled) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	base, rest, ok := ProductOutcomes(s.Base, p+16, limit)
	if !ok {
		return notListed()
	}
	return s.outcomes(p, base), rest, true
}

// outcomes of a Poisson sample, from the outcomes of its base. The loss of a mixture is
// log(1 − γ + γP/Q): −∞ becomes log(1 − γ), and only its enclosure is known
// elsewhere, but for a loss of 0, which stays.
func (s Sampled) outcomes(p interval.Prec, base []Outcome) []Outcome {
	q := p + 16
	rate := q.Rat(s.Rate)
	keep := q.Rat(new(big.Rat).Sub(ratOne, s.Rate))
	out := make([]Outcome, len(base))
	for i, b := range base {
		o := Outcome{P: p.Round(q.Add(q.Mul(keep, b.Q), q.Mul(rate, b.P))), Q: b.Q}
		switch {
		case b.P.IsZero():
			o.Loss, o.Exact = LogLoss(new(big.Rat).Sub(ratOne, s.Rate)), true
		case b.Exact && b.Loss.Cmp(new(big.Rat)) == 0:
			o.Exact = true
		}
		if s.Reversed {
			o = o.reverse()
		}
		out[i] = o
	}
	return out
}
