// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e GaussianPair) encodeFields(w *encoder) {
	w.Number("sigma_p", e.SigmaP)
	w.Number("sigma_q", e.SigmaQ)
	w.Number("shift", e.Shift)
}

// A greater shift is no post-processing of a smaller one where the variances differ.
func decodeGaussianPair(r *reader) Event {
	return GaussianPair{
		SigmaP: r.number("sigma_p", number.Positive, unproved),
		SigmaQ: r.number("sigma_q", number.Positive, unproved),
		Shift:  r.number("shift", number.NonNegative, unproved),
	}
}
