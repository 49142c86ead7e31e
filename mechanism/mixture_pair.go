// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// GaussianMixturePair is two mixtures of Gaussians, P = Σ_i w_i·N(m_i, σ²) and Q = Σ_j v_j·N(n_j, σ²).
type GaussianMixturePair struct {
	StandardDeviation *big.Rat      // σ > 0
	P, Q              WeightedMeans // of at most 32 means, as the loss has up to twice as many pieces
}

// WeightedMeans are means with weights of sum 1.
type WeightedMeans = field.WeightedMeans

func (GaussianMixturePair) ClassName() string              { return "GaussianMixturePairEvent" }
func (e GaussianMixturePair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e GaussianMixturePair) describe() description {
	return description{
		value:   &e,
		about:   "Two mixtures of Gaussians on the line, of one standard deviation.",
		bound:   "closed form; compositions by inversion and grids",
		example: `"standard_deviation":"1","p":[["0.5","0"],["0.25","1"],["0.25","2"]],"q":[["0.75","0"],["0.25","1"]]`,
		sentence: say("noise of standard deviation %s around one of %s with a record, of %s without it", e.StandardDeviation,
			field.Elements(e.P.Means, "value"), field.Elements(e.Q.Means, "value")),
		fields: []field.Field{ // more noise is post-processing, as of MixtureOfGaussians
			field.Positive(0.5, 5).Number("standard_deviation", &e.StandardDeviation, field.MorePrivate),
			field.Real(0.1, 3).Mixture("p", &e.P, 32), field.Real(0.1, 3).Mixture("q", &e.Q, 32),
		},
	}
}
