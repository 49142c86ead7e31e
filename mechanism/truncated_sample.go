// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// maxTruncatedBatch bounds the size of a batch that is summed up.
const maxTruncatedBatch = 1 << 20

// TruncatedSubsampledGaussian is the Gaussian mechanism on a Poisson sample of DatasetSize
// records, the record among them, of which a uniformly random subset of TruncatedBatchSize is kept if there
// are more.
type TruncatedSubsampledGaussian struct {
	DatasetSize         int64    // in [0, MaxCount]
	SamplingProbability *big.Rat // in [0, 1]
	TruncatedBatchSize  int64    // in [0, 2^20]
	NoiseMultiplier     *big.Rat // > 0
}

func (TruncatedSubsampledGaussian) ClassName() string              { return "TruncatedSubsampledGaussianDpEvent" }
func (e TruncatedSubsampledGaussian) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TruncatedSubsampledGaussian) describe() description {
	return description{
		value: &e,
		about: "The Gaussian mechanism on a Poisson sample, of which a uniform subset of truncated_batch_size is " +
			"kept if there are more.",
		bound: "above by the worst places of two others, below by other records that are null, or opposite; a gap " +
			"remains",
		example: `"dataset_size":4,"sampling_probability":"0.5","truncated_batch_size":2,"noise_multiplier":"1"`,
		sentence: say("an answer with Gaussian noise, of standard deviation %s"+field.TimesC+"; it is computed on a random "+
			"sample of %s, in which each is with probability %s, and of which at most %s are kept",
			e.NoiseMultiplier, field.Many{N: e.DatasetSize, Thing: "record"}, e.SamplingProbability, e.TruncatedBatchSize),
		fields: []field.Field{
			// More noise is a post-processing of less. Of the sampling probability nothing is proved: a greater one
			// also hides the record among more that are dropped.
			field.Records("dataset_size", &e.DatasetSize, 0),
			field.Probability(0.01, 0.3).Number("sampling_probability", &e.SamplingProbability, field.Unproved),
			field.Integer("truncated_batch_size", &e.TruncatedBatchSize, 0, maxTruncatedBatch, 1, 100),
			field.Positive(0.7, 5).Number("noise_multiplier", &e.NoiseMultiplier, field.MorePrivate),
		},
	}
}
