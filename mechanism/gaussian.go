// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"dpverify/internal/field"
	"math/big"
)

// Gaussian releases a sum of record values with norm at most C, plus noise
// N(0, σ²). In units of C, with σ the noise multiplier,
//
//	P = N(1, σ²), Q = N(0, σ²)
//
// when one record is added or removed; replacing a record moves the sum by up
// to 2C, which doubles the distance of the means.
type Gaussian struct {
	NoiseMultiplier *big.Rat // σ / C > 0
}

func (Gaussian) ClassName() string              { return "GaussianDpEvent" }
func (e Gaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Gaussian) describe() description {
	return description{
		value:    &e,
		about:    "Gaussian noise.",
		bound:    "closed form; any composition of Gaussians is one Gaussian",
		example:  `"noise_multiplier":"1"`,
		sentence: say("an answer with Gaussian noise, of standard deviation %s"+field.TimesC, e.NoiseMultiplier),
		fields: []field.Field{
			// More noise is post-processing: N(0, σ'²) is the law of N(0, σ²) plus
			// independent N(0, σ'² − σ²).
			field.Positive(0.3, 100).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("sigma / C, C the bound of the norm of one record's value."),
		},
	}
}
