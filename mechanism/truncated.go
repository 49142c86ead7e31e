// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/number"
)

// TruncatedGaussian is additive noise with the density of N(0, σ²) renormalised
// on [−r, r]: P is the noise about 0 and Q the noise about the sensitivity.
type TruncatedGaussian struct {
	Sigma       *big.Rat // σ > 0
	Sensitivity *big.Rat // >= 0; 0: equal distributions
	Radius      *big.Rat // r > 0
}

// ClassName returns "TruncatedGaussianEvent".
func (TruncatedGaussian) ClassName() string { return "TruncatedGaussianEvent" }
func (TruncatedGaussian) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e TruncatedGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TruncatedGaussian) encodeFields(w *encoder) {
	w.number("sigma", e.Sigma)
	w.number("sensitivity", e.Sensitivity)
	w.number("radius", e.Radius)
}

// A smaller sensitivity s is more private: the density p is log-concave, so
// p(x)/p(x − s) does not increase in x and H_α(P‖Q) = sup_o C(o) − α·C(o − s) for
// the distribution function C. Every term grows with s. Mirror for H_α(Q‖P).
func decodeTruncatedGaussian(r *reader) Event {
	return TruncatedGaussian{
		Sigma:       r.number("sigma", number.Positive, unproved),
		Sensitivity: r.number("sensitivity", number.NonNegative, lessPrivate),
		Radius:      r.number("radius", number.Positive, unproved),
	}
}

// TruncatedLaplace is additive noise with the density of Lap(0, b) renormalised
// on [−r, r]: P is the noise about 0 and Q the noise about the sensitivity.
type TruncatedLaplace struct {
	Scale       *big.Rat // b > 0
	Sensitivity *big.Rat // >= 0; 0: equal distributions
	Radius      *big.Rat // r > 0
}

// ClassName returns "TruncatedLaplaceEvent".
func (TruncatedLaplace) ClassName() string { return "TruncatedLaplaceEvent" }
func (TruncatedLaplace) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e TruncatedLaplace) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TruncatedLaplace) encodeFields(w *encoder) {
	w.number("scale", e.Scale)
	w.number("sensitivity", e.Sensitivity)
	w.number("radius", e.Radius)
}

// The order in the sensitivity holds as for all log-concave noise, as for
// TruncatedGaussian.
func decodeTruncatedLaplace(r *reader) Event {
	return TruncatedLaplace{
		Scale:       r.number("scale", number.Positive, unproved),
		Sensitivity: r.number("sensitivity", number.NonNegative, lessPrivate),
		Radius:      r.number("radius", number.Positive, unproved),
	}
}
