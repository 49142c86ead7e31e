// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e TruncatedGaussian) encodeFields(w *encoder) {
	w.truncated("sigma", e.Sigma, e.Sensitivity, e.Radius)
}

func decodeTruncatedGaussian(r *reader) Event {
	var e TruncatedGaussian
	e.Sigma, e.Sensitivity, e.Radius = r.truncated("sigma")
	return e
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

func (e TruncatedLaplace) encodeFields(w *encoder) {
	w.truncated("scale", e.Scale, e.Sensitivity, e.Radius)
}

func decodeTruncatedLaplace(r *reader) Event {
	var e TruncatedLaplace
	e.Scale, e.Sensitivity, e.Radius = r.truncated("scale")
	return e
}

// truncated writes the fields of truncated noise, of which one has a name of its own.
func (w *encoder) truncated(name string, width, sensitivity, radius *big.Rat) {
	w.Number(name, width)
	w.Number("sensitivity", sensitivity)
	w.Number("radius", radius)
}

// truncated reads these fields.
//
// A smaller sensitivity s is more private: the density p is log-concave, so
// p(x)/p(x − s) does not increase in x and H_α(P‖Q) = sup_o C(o) − α·C(o − s) for
// the distribution function C. Every term grows with s. Mirror for H_α(Q‖P).
func (r *reader) truncated(name string) (width, sensitivity, radius *big.Rat) {
	width = r.number(name, number.Positive, unproved)
	sensitivity = r.number("sensitivity", number.NonNegative, lessPrivate)
	return width, sensitivity, r.number("radius", number.Positive, unproved)
}
