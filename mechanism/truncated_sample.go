// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
)

// MaxTruncatedBatch bounds the size of a batch that is summed up.
const MaxTruncatedBatch = 1 << 20

// TruncatedSubsampledGaussian is the Gaussian mechanism on a Poisson sample of DatasetSize
// records, the record among them, of which a uniformly random subset of TruncatedBatchSize is kept if there
// are more.
type TruncatedSubsampledGaussian struct {
	DatasetSize         int64    // in [0, MaxCount]
	SamplingProbability *big.Rat // in [0, 1]
	TruncatedBatchSize  int64    // in [0, MaxTruncatedBatch]
	NoiseMultiplier     *big.Rat // > 0
}

func (TruncatedSubsampledGaussian) ClassName() string              { return "TruncatedSubsampledGaussianDpEvent" }
func (e TruncatedSubsampledGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TruncatedSubsampledGaussian) encodeFields(w *encoder) {
	w.Integer("dataset_size", e.DatasetSize)
	w.Number("sampling_probability", e.SamplingProbability)
	w.Integer("truncated_batch_size", e.TruncatedBatchSize)
	w.Number("noise_multiplier", e.NoiseMultiplier)
}

// More noise is a post-processing of less. Of the sampling probability nothing is proved: a greater one
// also hides the record among more that are dropped.
func decodeTruncatedSubsampledGaussian(r *reader) Event {
	return TruncatedSubsampledGaussian{
		DatasetSize:         r.Integer("dataset_size", 0, MaxCount),
		SamplingProbability: r.number("sampling_probability", number.Probability, unproved),
		TruncatedBatchSize:  r.Integer("truncated_batch_size", 0, MaxTruncatedBatch),
		NoiseMultiplier:     r.number("noise_multiplier", number.Positive, morePrivate),
	}
}
