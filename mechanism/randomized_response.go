// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e RandomizedResponse) encodeFields(w *encoder) {
	w.Number("noise_parameter", e.NoiseParameter)
	w.Integer("num_buckets", e.NumBuckets)
}

// More noise is post-processing: randomizing the output of parameter p again
// with parameter s has parameter p' = 1 − (1 − p)(1 − s), and s in [0, 1] reaches
// every p' in [p, 1].
func decodeRandomizedResponse(r *reader) Event {
	return RandomizedResponse{
		NoiseParameter: r.number("noise_parameter", number.Probability, morePrivate),
		NumBuckets:     r.Integer("num_buckets", 1, MaxCount),
	}
}
