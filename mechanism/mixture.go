// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e MixtureOfGaussians) encodeFields(w *encoder) {
	w.Number("standard_deviation", e.StandardDeviation)
	w.Numbers("sensitivities", e.Sensitivities)
	w.Numbers("sampling_probs", e.SamplingProbs)
}

// More noise is post-processing: adding independent N(0, σ'² − σ²) acts on every
// component of P, and on Q, at once.
func decodeMixtureOfGaussians(r *reader) Event {
	e := MixtureOfGaussians{
		StandardDeviation: r.number("standard_deviation", number.Positive, morePrivate),
		Sensitivities:     r.numbers("sensitivities", number.NonNegative, unproved),
	}
	probs := r.distribution("sampling_probs")
	r.sameLength("sensitivities", "sampling_probs")
	if r.Err == nil {
		e.SamplingProbs = r.s.corner.Mixture(probs, e.Sensitivities)
	}
	return e
}
