// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
	"dpverify/mechanism/strategy"
)

// MatrixMechanism releases C·G + Z: the rows of G are the values of each step, sums over the records that take part in
// it, each of norm at most C, and Z has Gaussian noise on every entry. A record takes part in at most MaxParticipations
// steps, any two of which are MinSeparation apart or more.
type MatrixMechanism struct {
	Strategy          Strategy
	MinSeparation     int64    // in [1, MaxCount]
	MaxParticipations int64    // in [1, MaxCount]
	NoiseMultiplier   *big.Rat // σ / C > 0
}

// A Strategy is a lower-triangular matrix, and an Entry a number of it.
type (
	Strategy = strategy.Strategy
	Entry    = strategy.Entry
)

// MaxSteps bounds the steps of a matrix mechanism.
const MaxSteps = strategy.MaxSteps

func (MatrixMechanism) ClassName() string              { return "MatrixMechanismEvent" }
func (e MatrixMechanism) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e MatrixMechanism) describe() description {
	return description{
		value: &e,
		about: "A lower-triangular matrix times the values of all steps, plus Gaussian noise on every entry.",
		bound: "a Gaussian, with the sensitivity of the strategy in exact rationals; where no form of it is known, " +
			"above and below apart",
		example: `"strategy":{"toeplitz":["1","0.5","0.25"],"steps":100},"min_separation":10,"max_participations":5,` +
			`"noise_multiplier":"4"`,
		sentence: say("a matrix mechanism of %s, where a record is in at most %s, at least %s apart, with Gaussian noise "+
			"of standard deviation %s"+field.TimesC,
			field.Many{N: e.Strategy.Steps, Thing: "step"}, e.MaxParticipations, e.MinSeparation, e.NoiseMultiplier),
		fields: []field.Field{
			// More noise is post-processing, as for Gaussian.
			e.Strategy.Field("strategy"),
			field.Integer("min_separation", &e.MinSeparation, 1, MaxCount, 1, 50).
				Means("The least distance of two steps that a record takes part in."),
			field.Integer("max_participations", &e.MaxParticipations, 1, MaxCount, 1, 20),
			field.Positive(1, 50).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate).
				Means("sigma / C, C the bound of the norm of one record's value in one step."),
		},
	}
}

func (e MatrixMechanism) contents() Event {
	e.Strategy.File = ""
	return e
}
