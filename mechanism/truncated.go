// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// A Noise is the law on the line, symmetric about 0, that is truncated or clamped.
type Noise int

const (
	// LaplaceNoise of width b has the density e^(−|x|/b)/2b.
	LaplaceNoise Noise = iota
	// GaussianNoise of width σ is N(0, σ²).
	GaussianNoise
)

// String returns the noise as it stands in the name of a class.
func (n Noise) String() string { return n.one("Laplace", "Gaussian") }

// width is the field of the width, and phrase the noise of a width in a sentence.
func (n Noise) width() string { return n.one("scale", "sigma") }
func (n Noise) phrase() string {
	return n.String() + " noise of " + n.one("scale", "standard deviation")
}

func (n Noise) one(laplace, gaussian string) string {
	switch n {
	case LaplaceNoise:
		return laplace
	case GaussianNoise:
		return gaussian
	}
	return "Unknown"
}

// rule: there is no other noise.
func (n Noise) rule() field.Field {
	return field.Rule(func() (name, value, want string) {
		if n == LaplaceNoise || n == GaussianNoise {
			return "", "", ""
		}
		return "class_name", n.String(), "Laplace or Gaussian"
	})
}

// Truncated is additive noise with the density of Lap(0, b) or N(0, σ²) renormalised
// on [−r, r]: P is the noise about 0 and Q the noise about the sensitivity.
type Truncated struct {
	Noise       Noise
	Width       *big.Rat // b or σ, > 0
	Sensitivity *big.Rat // >= 0; 0: equal distributions
	Radius      *big.Rat // r > 0
}

func (e Truncated) ClassName() string            { return "Truncated" + e.Noise.String() + "Event" }
func (e Truncated) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

// describe: a smaller sensitivity s is more private. The density p is log-concave, so
// p(x)/p(x − s) does not increase in x and H_α(P‖Q) = sup_o C(o) − α·C(o − s) for
// the distribution function C. Every term grows with s. Mirror for H_α(Q‖P).
func (e Truncated) describe() description {
	return description{
		value:   &e,
		about:   e.Noise.String() + " noise renormalised on [-radius, radius].",
		bound:   "closed form",
		example: `"` + e.Noise.width() + `":"1","sensitivity":"1","radius":"5"`,
		sentence: say("an answer with "+e.Noise.phrase()+" %s, which is never more than %s; one record "+
			"moves the answer by at most %s", e.Width, e.Radius, e.Sensitivity),
		fields: []field.Field{
			field.Positive(0.5, 5).Number(e.Noise.width(), &e.Width, field.Unproved),
			field.NonNegative(1, 1).Number("sensitivity", &e.Sensitivity, field.LessPrivate),
			field.Positive(5, 50).Number("radius", &e.Radius, field.Unproved),
			e.Noise.rule(),
		},
	}
}
