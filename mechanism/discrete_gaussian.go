// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/field"
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
	Sigma       *big.Rat // σ > 0, nil if there is a variance
	Variance    *big.Rat // σ² > 0, nil if there is a σ
	Sensitivity *big.Rat // in [0, MaxCount]; below 1: equal distributions
	Dimension   int64    // in [1, MaxCount]; 0: unknown, the worst over every dimension
}

// Sigma2 returns σ².
func (e DiscreteGaussian) Sigma2() *big.Rat { return square(e.Sigma, e.Variance) }

func (DiscreteGaussian) ClassName() string              { return "DiscreteGaussianDpEvent" }
func (e DiscreteGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e DiscreteGaussian) describe() description {
	var entries any = "of unknown length"
	if e.Dimension > 0 {
		entries = field.Many{N: e.Dimension, Thing: "entry"}
	}
	symbol, parameter := "σ", e.Sigma
	if e.Variance != nil {
		symbol, parameter = "σ²", e.Variance
	}
	return description{
		value: &e,
		about: "Independent integer noise with P(z) proportional to exp(-z^2 / (2 sigma^2)) on every entry of a " +
			"vector of integers.",
		bound: "masses on a lattice, with certified tails; the worst shift of each entry of a vector, exactly for " +
			"one release",
		example: `"sigma":"2","sensitivity":1`,
		sentence: say("an answer of integers (%s) with discrete Gaussian noise of parameter "+symbol+
			" = %s on each; one record "+
			"moves it by at most %s in the Euclidean norm", entries, parameter, e.Sensitivity),
		fields: []field.Field{
			// The sum of two discrete Gaussians is not one, so no order in σ is claimed. A greater
			// sensitivity allows more shifts, and the worst of more is no better.
			field.OneNumberOf(field.Positive(0.5, 20).Number("sigma", &e.Sigma, field.Unproved),
				field.Positive(0.2, 400).Number("variance", &e.Variance, field.Unproved).
					Means("sigma^2, in place of sigma: exact where sigma is irrational."),
				&e.Sigma, &e.Variance),
			field.Domain{Domain: field.Between(0, MaxCount), Definition: "nonNegative", Lo: 1, Hi: 1}.
				Number("sensitivity", &e.Sensitivity, field.LessPrivate).
				Or(func() { e.Sensitivity = one }).
				Means("The L2 sensitivity of the function under the relation asked, at most 1e12; 1 if it is left out."),
			dimension("dimension", &e.Dimension),
		},
	}
}

// dimension is a count, or 0 for one that is not known.
func dimension(name string, i *int64) field.Field {
	f := field.Integer(name, i, 1, MaxCount, 0, 0)
	known := f
	f.Read = func(r *field.Reader) {
		if r.Node.Get(name).Kind != document.Null {
			known.Read(r)
		}
	}
	f.Write = func(w *field.Writer) {
		if *i > 0 {
			known.Write(w)
			return
		}
		w.Field(name)
		w.Raw("null")
	}
	f.Valid = func(*field.Validation) bool { return *i <= MaxCount }
	f.Draw = func(d *field.Drawing) { *i = d.Rand.Int64N(2) }
	number := f.Schema
	f.Schema = func() string { return `"anyOf": [{"const": null}, {` + number() + `}]` }
	return f.Or(func() {}).Means("Unknown (the worst over every dimension) if it is null or left out.")
}
