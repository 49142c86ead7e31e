// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// Laplace releases a sum of record values with 1-norm at most C, plus Laplace
// noise of scale b, density e^(−|x|/b)/(2b). In units of C, with b the noise
// multiplier,
//
//	P = Lap(1, b), Q = Lap(0, b)
//
// when one record is added or removed; replacing a record moves the sum by up
// to 2C, which doubles the distance of the locations.
type Laplace struct {
	NoiseMultiplier *big.Rat // b / C > 0
}

func (Laplace) ClassName() string              { return "LaplaceDpEvent" }
func (e Laplace) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Laplace) describe() description {
	return description{
		value:    &e,
		about:    "Laplace noise.",
		bound:    "closed form; a moderate number of equal ones by a finite sum",
		example:  `"noise_multiplier":"1"`,
		sentence: say("an answer with Laplace noise, of scale %s"+field.TimesC, e.NoiseMultiplier),
		fields: []field.Field{
			// More noise is post-processing: for b' ≥ b the quotient of the characteristic
			// functions is (1 + b²t²)/(1 + b'²t²) = w + (1 − w)/(1 + b'²t²), w = b²/b'². That
			// is the characteristic function of a mixture, an atom of weight w at 0 and
			// Lap(0, b') with weight 1 − w, so adding a draw from it turns Lap(0, b) into
			// Lap(0, b').
			field.Positive(0.2, 100).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("Scale / C, C the bound of the 1-norm of one record's value."),
		},
	}
}

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

func (e DiscreteLaplace) describe() description {
	return description{
		value:   &e,
		about:   "Integer noise with P(x) proportional to exp(-noise_parameter |x|).",
		bound:   "closed form; compositions by masses on a lattice",
		example: `"noise_parameter":"0.5","sensitivity":1`,
		sentence: say("an integer answer with discrete Laplace noise: the noise is x with probability proportional to "+
			"exp(−%s·|x|), and one record moves the answer by at most %s", e.NoiseParameter, e.Sensitivity),
		fields: []field.Field{
			// A smaller parameter is post-processing, as for Laplace: with r = e^−a the
			// characteristic function is (1 − r)²/((1 − r)² + 2r(1 − cos t)), that is
			// 1/(1 + cu) with u = 1 − cos t and c = 2r/(1 − r)² decreasing in a. For c' ≥ c
			// the quotient (1 + cu)/(1 + c'u) = w + (1 − w)/(1 + c'u), w = c/c', is the characteristic function of a
			// mixture of an atom at 0 and DLap(a').
			field.Positive(0.02, 3).Number("noise_parameter", &e.NoiseParameter, field.LessPrivate),
			field.Integer("sensitivity", &e.Sensitivity, 0, MaxCount, 1, 3),
		},
	}
}
