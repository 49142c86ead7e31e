// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// EpsilonDelta is a guarantee: it stands for the worst mechanism that is
// (ε, δ)-differentially private, that is H_{e^ε}(P‖Q) ≤ δ and H_{e^ε}(Q‖P) ≤ δ
// for all neighbours under the relation asked.
type EpsilonDelta struct {
	Epsilon *big.Rat // ≥ 0, in nats
	Delta   *big.Rat // in [0, 1]
}

func (EpsilonDelta) ClassName() string              { return "EpsilonDeltaDpEvent" }
func (e EpsilonDelta) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e EpsilonDelta) describe() description {
	return description{
		value:   &e,
		about:   "The worst (epsilon, delta)-DP mechanism.",
		bound:   "worst case of the guarantee, exactly: approximate randomized response",
		example: `"epsilon":"1","delta":"1e-5"`,
		sentence: say("known by its guarantee only: it is (ε, δ)-differentially private with ε = %s and δ = %s",
			e.Epsilon, e.Delta),
		fields: []field.Field{
			// A smaller ε or δ is satisfied by fewer mechanisms, and the worst of fewer is
			// no worse.
			field.NonNegative(0.005, 3).Number("epsilon", &e.Epsilon, field.LessPrivate),
			field.Probability(1e-30, 0.01).OrZero().Number("delta", &e.Delta, field.LessPrivate),
		},
	}
}
