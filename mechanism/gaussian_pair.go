// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// GaussianPair is a pair of Gaussians whose variances may differ, as where the noise depends on the data:
//
//	P = N(0, SigmaP²), Q = N(Shift, SigmaQ²).
type GaussianPair struct {
	SigmaP, SigmaQ *big.Rat // > 0
	Shift          *big.Rat // >= 0
}

func (GaussianPair) ClassName() string              { return "GaussianPairEvent" }
func (e GaussianPair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e GaussianPair) describe() description {
	return description{
		value:   &e,
		about:   "N(0, sigma_p^2) and N(shift, sigma_q^2).",
		bound:   "closed form; compositions by grids",
		example: `"sigma_p":"1.2","sigma_q":"1","shift":"0.5"`,
		sentence: say("an answer with Gaussian noise whose standard deviation is %s or %s, as the data are, and which one "+
			"record moves by %s", e.SigmaP, e.SigmaQ, e.Shift),
		fields: []field.Field{
			// A greater shift is no post-processing of a smaller one where the variances differ.
			field.Positive(0.5, 5).Number("sigma_p", &e.SigmaP, field.Unproved),
			field.Positive(0.5, 5).Number("sigma_q", &e.SigmaQ, field.Unproved),
			field.NonNegative(0.1, 2).Number("shift", &e.Shift, field.Unproved),
		},
	}
}
