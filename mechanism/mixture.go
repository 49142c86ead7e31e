// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
	"dpverify/internal/rounded"
)

// MixtureOfGaussians is the Gaussian mechanism with a random sensitivity: for
// sensitivities c_i taken with probabilities p_i,
//
//	P = Σ p_i·N(c_i, σ²), Q = N(0, σ²).
type MixtureOfGaussians struct {
	StandardDeviation *big.Rat   // σ > 0
	Sensitivities     []*big.Rat // c_i ≥ 0, at least one
	SamplingProbs     []*big.Rat // p_i ≥ 0, as many, with sum exactly 1
}

func (MixtureOfGaussians) ClassName() string              { return "MixtureOfGaussiansDpEvent" }
func (e MixtureOfGaussians) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e MixtureOfGaussians) describe() description {
	var probs rounded.Probabilities
	return description{
		value:     &e,
		about:     "Gaussian noise with a random sensitivity.",
		bound:     "closed form",
		relations: oneSided,
		example:   `"standard_deviation":"1","sensitivities":["0","1"],"sampling_probs":["0.9","0.1"]`,
		sentence: say("an answer with Gaussian noise of standard deviation %s, which a record moves by %s",
			e.StandardDeviation, field.Each(e.Sensitivities, ", ", func(i int, c *big.Rat) field.Sentence {
				return say("%s with probability %s", c, e.SamplingProbs[i])
			})),
		fields: []field.Field{
			// More noise is post-processing: adding independent N(0, σ'² − σ²) acts on every
			// component of P, and on Q, at once.
			field.Positive(0.5, 10).Number("standard_deviation", &e.StandardDeviation, field.MorePrivate),
			field.NonNegative(0.5, 3).OrZero().Numbers("sensitivities", &e.Sensitivities, field.Unproved),
			field.Distribution("sampling_probs", &e.SamplingProbs, &probs),
			field.SameLength("sensitivities", &e.Sensitivities, "sampling_probs", &e.SamplingProbs),
			field.Settled(func(c rounded.Corner) { e.SamplingProbs = c.Mixture(probs, e.Sensitivities) }),
		},
	}
}
