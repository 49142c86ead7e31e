// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// Gaussian releases a sum of record values with norm at most C, plus noise
// N(0, σ²). In units of C, with σ the noise multiplier,
//
//	P = N(1, σ²), Q = N(0, σ²)
//
// when one record is added or removed; replacing a record moves the sum by up
// to 2C, which doubles the distance of the means.
//
// One of the fields is set, and the other one nil. A variance is exact where its
// root is irrational.
type Gaussian struct {
	NoiseMultiplier *big.Rat // σ / C > 0
	NoiseVariance   *big.Rat // (σ / C)² > 0
}

// Variance returns (σ / C)².
func (e Gaussian) Variance() *big.Rat { return square(e.NoiseMultiplier, e.NoiseVariance) }

// Scaled returns the noise times k > 0, in the form in which it stands.
func (e Gaussian) Scaled(k *big.Rat) Gaussian {
	if e.NoiseVariance != nil {
		return Gaussian{NoiseVariance: new(big.Rat).Mul(e.NoiseVariance, new(big.Rat).Mul(k, k))}
	}
	return Gaussian{NoiseMultiplier: new(big.Rat).Mul(e.NoiseMultiplier, k)}
}

// square returns a copy of a variance, or of the square of a standard deviation if that is not set.
func square(deviation, variance *big.Rat) *big.Rat {
	if variance != nil {
		return new(big.Rat).Set(variance)
	}
	return new(big.Rat).Mul(deviation, deviation)
}

func (Gaussian) ClassName() string              { return "GaussianDpEvent" }
func (e Gaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Gaussian) describe() description {
	sentence := say("an answer with Gaussian noise, of standard deviation %s"+field.TimesC, e.NoiseMultiplier)
	if e.NoiseVariance != nil {
		sentence =
			say("an answer with Gaussian noise, of variance %s times the square of the bound C on what one record contributes",
				e.NoiseVariance)
	}
	return description{
		value:    &e,
		about:    "Gaussian noise.",
		bound:    "closed form; any composition of Gaussians is one Gaussian",
		example:  `"noise_multiplier":"1"`,
		sentence: sentence,
		fields: []field.Field{
			// More noise is post-processing: N(0, σ'²) is the law of N(0, σ²) plus
			// independent N(0, σ'² − σ²).
			field.OneNumberOf(field.Positive(0.3, 100).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("sigma / C, C the bound of the norm of one record's value."),
				field.Positive(0.1, 1000).Number("noise_variance", &e.NoiseVariance, field.MorePrivate).
					Means("(sigma / C)^2, in place of noise_multiplier: exact where sigma is irrational."),
				&e.NoiseMultiplier, &e.NoiseVariance),
		},
	}
}
