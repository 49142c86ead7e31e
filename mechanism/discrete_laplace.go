// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
)

// DiscreteLaplace releases an integer sum of record values with 1-norm at most
// Sensitivity, plus integer noise with P(x) ∝ e^(−a|x|). With s the sensitivity,
//
//	P = s + DLap(a), Q = DLap(a)
//
// when one record is added or removed; replacing a record doubles the shift.
type DiscreteLaplace struct {
	NoiseParameter *big.Rat // a > 0
	Sensitivity    int64    // in [0, MaxCount]; 0: equal distributions
}

func (DiscreteLaplace) ClassName() string              { return "DiscreteLaplaceDpEvent" }
func (e DiscreteLaplace) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e DiscreteLaplace) encodeFields(w *encoder) {
	w.Number("noise_parameter", e.NoiseParameter)
	w.Integer("sensitivity", e.Sensitivity)
}

// A smaller parameter is post-processing, as for Laplace: with r = e^−a the
// characteristic function is (1 − r)²/((1 − r)² + 2r(1 − cos t)), that is
// 1/(1 + cu) with u = 1 − cos t and c = 2r/(1 − r)² decreasing in a. For c' ≥ c
// the quotient (1 + cu)/(1 + c'u) = w + (1 − w)/(1 + c'u), w = c/c', is the characteristic function of a
// mixture of an atom at 0 and DLap(a').
func decodeDiscreteLaplace(r *reader) Event {
	return DiscreteLaplace{
		NoiseParameter: r.number("noise_parameter", number.Positive, lessPrivate),
		Sensitivity:    r.Integer("sensitivity", 0, MaxCount),
	}
}
