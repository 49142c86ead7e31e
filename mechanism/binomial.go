// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e Binomial) encodeFields(w *encoder) {
	w.Integer("trials", e.Trials)
	w.Number("probability", e.Probability)
	w.Integer("sensitivity", e.Sensitivity)
}

func decodeBinomial(r *reader) Event {
	return Binomial{
		Trials:      r.Integer("trials", 1, MaxTrials),
		Probability: r.number("probability", number.Probability, unproved),
		Sensitivity: r.Integer("sensitivity", 0, MaxCount),
	}
}
