// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// RandomizedResponse releases, of k buckets, the true one with probability
// 1 − p, else one that is uniform over all k, the true one included. Replacing
// the record's bucket by another,
//
//	P = (1 − p + p/k, p/k, p/k, …), Q = (p/k, 1 − p + p/k, p/k, …).
type RandomizedResponse struct {
	NoiseParameter *big.Rat // p in [0, 1]; 0 releases the true bucket
	NumBuckets     int64    // k in [1, MaxCount]; the one bucket of k = 1 says nothing
}

func (RandomizedResponse) ClassName() string              { return "RandomizedResponseDpEvent" }
func (e RandomizedResponse) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e RandomizedResponse) describe() description {
	return description{
		value:     &e,
		about:     "With probability noise_parameter a uniform bucket, else the true one.",
		bound:     "finite pair, exactly",
		relations: replacing,
		example:   `"noise_parameter":"0.5","num_buckets":4`,
		sentence: say("a randomized response: with probability %s, a record's value is replaced by one of all %s values "+
			"at random", e.NoiseParameter, e.NumBuckets),
		fields: []field.Field{
			// More noise is post-processing: randomizing the output of parameter p again
			// with parameter s has parameter p' = 1 − (1 − p)(1 − s), and s in [0, 1] reaches
			// every p' in [p, 1].
			field.Probability(0.02, 0.98).Number("noise_parameter", &e.NoiseParameter, field.MorePrivate),
			field.Integer("num_buckets", &e.NumBuckets, 1, MaxCount, 2, 10),
		},
	}
}

// LocalRandomizer is a report of one record: of the record's value i it is y with probability Table[i][y].
type LocalRandomizer struct {
	Table [][]*big.Rat // at least one row; all of equal length ≥ 1, each with sum exactly 1
}

// maxInputs bounds the rows of a table, of which any two are compared, and maxProbabilities all that is in it.
const maxInputs, maxProbabilities = 32, 4096

func (LocalRandomizer) ClassName() string              { return "LocalRandomizerEvent" }
func (e LocalRandomizer) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e LocalRandomizer) describe() description {
	return description{
		value:     &e,
		about:     "A report of one record, by a table: table[i][y] is the probability of report y of input i.",
		bound:     "a local randomizer, exactly: the worst of any two inputs",
		relations: replaceOne,
		example:   `"table":[["3/5","1/5","1/5"],["1/5","3/5","1/5"],["1/5","1/5","3/5"]]`,
		sentence: say("a report of one record, at random, by a table of %s",
			field.Elements(e.Table, "input")),
		fields: []field.Field{field.Rows("table", &e.Table, maxInputs, maxProbabilities)},
	}
}
