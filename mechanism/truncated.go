// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// TruncatedGaussian is additive noise with the density of N(0, σ²) renormalised
// on [−r, r]: P is the noise about 0 and Q the noise about the sensitivity.
type TruncatedGaussian struct {
	Sigma       *big.Rat // σ > 0
	Sensitivity *big.Rat // >= 0; 0: equal distributions
	Radius      *big.Rat // r > 0
}

func (TruncatedGaussian) ClassName() string              { return "TruncatedGaussianEvent" }
func (e TruncatedGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TruncatedGaussian) describe() description {
	return description{
		value:   &e,
		about:   "Gaussian noise renormalised on [-radius, radius].",
		bound:   "closed form",
		example: `"sigma":"1","sensitivity":"1","radius":"5"`,
		sentence: say("an answer with Gaussian noise of standard deviation %s, which is never more than %s; one record "+
			"moves the answer by at most %s", e.Sigma, e.Radius, e.Sensitivity),
		fields: truncated("sigma", &e.Sigma, &e.Sensitivity, &e.Radius),
	}
}

// TruncatedLaplace is additive noise with the density of Lap(0, b) renormalised
// on [−r, r]: P is the noise about 0 and Q the noise about the sensitivity.
type TruncatedLaplace struct {
	Scale       *big.Rat // b > 0
	Sensitivity *big.Rat // >= 0; 0: equal distributions
	Radius      *big.Rat // r > 0
}

func (TruncatedLaplace) ClassName() string              { return "TruncatedLaplaceEvent" }
func (e TruncatedLaplace) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TruncatedLaplace) describe() description {
	return description{
		value:   &e,
		about:   "Laplace noise renormalised on [-radius, radius].",
		bound:   "closed form",
		example: `"scale":"1","sensitivity":"1","radius":"5"`,
		sentence: say("an answer with Laplace noise of scale %s, which is never more than %s; one record moves the answer "+
			"by at most %s", e.Scale, e.Radius, e.Sensitivity),
		fields: truncated("scale", &e.Scale, &e.Sensitivity, &e.Radius),
	}
}

// truncated are the fields of truncated noise, of which one has a name of its own.
//
// A smaller sensitivity s is more private: the density p is log-concave, so
// p(x)/p(x − s) does not increase in x and H_α(P‖Q) = sup_o C(o) − α·C(o − s) for
// the distribution function C. Every term grows with s. Mirror for H_α(Q‖P).
func truncated(name string, width, sensitivity, radius **big.Rat) []field.Field {
	return []field.Field{
		field.Positive(0.5, 5).Number(name, width, field.Unproved),
		field.NonNegative(1, 1).Number("sensitivity", sensitivity, field.LessPrivate),
		field.Positive(5, 50).Number("radius", radius, field.Unproved),
	}
}
