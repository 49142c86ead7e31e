// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
)

// DiscreteGaussian releases a vector of integers, which differs between neighbours by a
// vector s of 2-norm at most Sensitivity, plus independent integer noise with P(z) ∝
// e^(−z²/(2σ²)) in every entry:
//
//	P = s + N_Z(0, σ²)^d, Q = N_Z(0, σ²)^d,
//
// for the worst s. The sensitivity is the function's under the relation asked.
//
// No shift is the worst at every ε: unlike for continuous noise, the dimension matters.
type DiscreteGaussian struct {
	Sigma       *big.Rat // σ > 0
	Sensitivity *big.Rat // in [0, MaxCount]; below 1: equal distributions
	Dimension   int64    // in [1, MaxCount]; 0: unknown, the worst over every dimension
}

func (DiscreteGaussian) ClassName() string              { return "DiscreteGaussianDpEvent" }
func (e DiscreteGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e DiscreteGaussian) encodeFields(w *encoder) {
	w.Number("sigma", e.Sigma)
	w.Number("sensitivity", e.Sensitivity)
	if e.Dimension > 0 {
		w.Integer("dimension", e.Dimension)
		return
	}
	w.Field("dimension")
	w.Raw("null")
}

// discreteSensitivity bounds the entries of a shift by what a count may be.
var discreteSensitivity = number.Domain{Want: "in [0, 1000000000000]", Contains: func(r *big.Rat) bool {
	return r.Sign() >= 0 && r.Cmp(new(big.Rat).SetInt64(MaxCount)) <= 0
}}

// The sum of two discrete Gaussians is not one, so no order in σ is claimed. A greater
// sensitivity allows more shifts, and the worst of more is no better.
func decodeDiscreteGaussian(r *reader) Event {
	e := DiscreteGaussian{Sigma: r.number("sigma", number.Positive, unproved), Sensitivity: one}
	if r.Node.Get("sensitivity") != nil {
		e.Sensitivity = r.number("sensitivity", discreteSensitivity, lessPrivate)
	}
	if n := r.Node.Get("dimension"); n != nil && n.Kind != document.Null {
		e.Dimension = r.Integer("dimension", 1, MaxCount)
	}
	return e
}
