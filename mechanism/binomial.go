// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// MaxTrials bounds the trials of a Binomial.
const MaxTrials = 1_000_000

// Binomial is additive binomial noise on an integer, with s the sensitivity:
//
//	P = Bin(trials, probability), Q = s + Bin(trials, probability).
type Binomial struct {
	Trials      int64    // in [1, MaxTrials]
	Probability *big.Rat // in [0, 1]
	Sensitivity int64    // in [0, MaxCount]; 0: equal distributions
}

func (Binomial) ClassName() string              { return "BinomialEvent" }
func (e Binomial) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Binomial) describe() description {
	return description{
		value:   &e,
		about:   "Binomial noise on an integer.",
		bound:   "finite pair",
		example: `"trials":100,"probability":"0.5","sensitivity":1`,
		sentence: say("an integer answer with binomial noise, of %s with probability %s; one record moves the answer by at "+
			"most %s", field.Many{N: e.Trials, Thing: "trial"}, e.Probability, e.Sensitivity),
		fields: []field.Field{
			field.Integer("trials", &e.Trials, 1, MaxTrials, 50, 1000),
			field.Probability(0.1, 0.9).Number("probability", &e.Probability, field.Unproved),
			field.Integer("sensitivity", &e.Sensitivity, 0, MaxCount, 1, 1),
		},
	}
}
