// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// LastIterate releases the last point of noisy gradient descent, and none before:
//
//	x_k = Π(φ_k(x_{k−1}) + N(0, σ²I)), k = 1 … Steps,
//
// where each φ_k is Lipschitz with the constant Contraction, whatever the data are. Batches are taken in turn, and a
// record is in one of them, always the same: in its steps it moves φ_k(x) by at most C, at any x. Π projects onto a
// convex set of at most the diameter, and is nothing without one. It stands for the worst such φ, in any dimension.
//
// A gradient step of size η on a loss with curvature between m and M contracts by max(|1 − ηm|, |1 − ηM|), and by 1 if
// it is convex and η ≤ 2/M. Clipped gradients are in general no gradients of such a loss.
type LastIterate struct {
	Contraction     *big.Rat // in [0, 1]
	Steps, Batches  int64    // in [1, MaxCount]
	NoiseMultiplier *big.Rat // σ / C > 0
	Diameter        *big.Rat // in units of C, > 0; nil if points are not constrained
}

func (LastIterate) ClassName() string              { return "LastIterateEvent" }
func (e LastIterate) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e LastIterate) describe() description {
	constrained := say("")
	if e.Diameter != nil {
		constrained = say(", in a convex set of diameter %s"+field.TimesC, e.Diameter)
	}
	return description{
		value:   &e,
		about:   "The last point of noisy gradient descent by steps that contract, with batches in turn.",
		bound:   "closed form: a Gaussian, attained by linear steps; of constrained points an upper bound",
		example: `"contraction":"0.99","steps":1000,"noise_multiplier":"10","batches":10`,
		sentence: say("the last point only of %s of noisy gradient descent%s, which contract distances by the factor %s, "+
			"whatever the data are, with %s in turn, and Gaussian noise of standard deviation %s"+field.TimesC,
			field.Many{N: e.Steps, Thing: "step"}, func() field.Sentence { return constrained }, e.Contraction,
			field.Many{N: e.Batches, Thing: "batch"}, e.NoiseMultiplier),
		fields: []field.Field{
			// What contracts more, and is in a smaller set, is in the class of what contracts less, in a larger set.
			field.Probability(0.5, 1).Number("contraction", &e.Contraction, field.LessPrivate).
				Means("The Lipschitz constant of each step, at most 1."),
			field.Integer("steps", &e.Steps, 1, MaxCount, 1, 1000),
			// In units of σ, records move less and the set is smaller.
			field.Positive(1, 50).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("sigma / C in each step, C how far one record may move it."),
			field.Integer("batches", &e.Batches, 1, MaxCount, 1, 20).Means("How many there are, each taken in turn."),
			field.Positive(0.1, 10).Optional("diameter", &e.Diameter, field.LessPrivate).
				Means("Of the convex set that points are projected onto, over C; unconstrained without it."),
		},
	}
}
