// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// ExponentialMechanism selects a candidate with probability ∝ e^(ε·score/2) for
// scores of sensitivity 1: for the worst scores, neighbours and number of candidates. It
// has ε-bounded range: on neighbours, log P/Q lies in [t − ε, t] for some t in [0, ε].
type ExponentialMechanism struct {
	Epsilon *big.Rat // ≥ 0, in nats
}

func (ExponentialMechanism) ClassName() string              { return "ExponentialMechanismDpEvent" }
func (e ExponentialMechanism) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ExponentialMechanism) describe() description {
	return description{
		value: &e,
		about: "The exponential mechanism: log P/Q has a range of epsilon.",
		bound: "closed form for one release; compositions followed step by step, beside others above by logistic noise " +
			"and zCDP, below by choices of two candidates",
		example:  `"epsilon":"1"`,
		sentence: say("a choice by the exponential mechanism with ε = %s", e.Epsilon),
		fields: []field.Field{
			// A range of ε is within one of every greater ε, and the worst of more mechanisms is no
			// better.
			field.NonNegative(0.02, 3).Number("epsilon", &e.Epsilon, field.LessPrivate),
		},
	}
}

// PermuteAndFlip selects a candidate as McKenna and Sheldon (2020) do, by scores of
// sensitivity 1: it is report noisy max with exponential noise of rate ε/2 [Ding, Kifer,
// Sayed M. Saghaian N. E. & Steinke 2021]. It is dominated by the Laplace mechanism with noise
// multiplier 1/ε.
type PermuteAndFlip struct {
	Epsilon *big.Rat // ≥ 0, in nats
}

func (PermuteAndFlip) ClassName() string              { return "PermuteAndFlipDpEvent" }
func (e PermuteAndFlip) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e PermuteAndFlip) describe() description {
	return description{
		value:    &e,
		about:    "Permute-and-flip: report noisy max with exponential noise.",
		bound:    "closed form for one release; copies by choices of two candidates; beside others above by Laplace noise",
		example:  `"epsilon":"1"`,
		sentence: say("a choice by permute-and-flip with ε = %s", e.Epsilon),
		fields: []field.Field{
			// With ε′ < ε the scores u select as the scores u·ε′/ε do with ε, and these have sensitivity 1,
			// too: the worst of more mechanisms is no better.
			field.NonNegative(0.02, 3).Number("epsilon", &e.Epsilon, field.LessPrivate),
		},
	}
}
