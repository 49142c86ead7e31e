// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// PoissonSampled runs Event on a sample that contains every record with
// probability q, independently. With (P, Q) the event's pair when one record is
// added or removed, P with the record,
//
//	P' = (1 − q)·Q + q·P, Q' = Q.
type PoissonSampled struct {
	SamplingProbability *big.Rat // q in [0, 1]
	Event               Event
}

func (PoissonSampled) ClassName() string              { return "PoissonSampledDpEvent" }
func (e PoissonSampled) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e PoissonSampled) describe() description {
	return description{
		value:   &e,
		about:   "The event on a sample that has every record with the given probability, independently.",
		bound:   "amplification of the event's profile; under REPLACE_ONE of a Gaussian or a guarantee only",
		example: `"sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"}`,
		sentence: say("%s; it is computed on a random sample, to which each record belongs with probability %s, "+
			"independently of the others", e.Event, e.SamplingProbability),
		fields: []field.Field{
			// A smaller q is more private: a sample of rate q' = tq is, with probability t,
			// one of rate q and else one without the record. So its pair is the mixture
			// t·(P', Q') + (1 − t)·(B, B), and H_α is jointly convex, with
			// H_α(B‖B) = (1 − α)₊ never more than H_α(P'‖Q').
			field.Probability(0.0005, 0.5).Number("sampling_probability", &e.SamplingProbability, field.LessPrivate),
			on(&e.Event, func(around int64) int64 {
				if e.SamplingProbability.Cmp(one) == 0 {
					return around
				}
				return field.Unfixed
			}),
		},
	}
}

// SampledWithoutReplacement runs Event on a uniformly random subset of exactly
// SampleSize of the SourceDatasetSize records, so that each record is in the
// sample with probability SampleSize / SourceDatasetSize.
type SampledWithoutReplacement struct {
	SourceDatasetSize int64 // in [1, MaxCount]
	SampleSize        int64 // in [0, SourceDatasetSize]
	Event             Event
}

func (SampledWithoutReplacement) ClassName() string              { return "SampledWithoutReplacementDpEvent" }
func (e SampledWithoutReplacement) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e SampledWithoutReplacement) describe() description {
	return description{
		value:     &e,
		about:     "The event on a uniform subset of fixed size.",
		bound:     "amplification of the profile that the event has where a record is replaced, of a self-dual event only",
		relations: counted,
		example: `"source_dataset_size":1000,"sample_size":10,"event":{"class_name":"GaussianDpEvent",` +
			`"noise_multiplier":"1"}`,
		sentence: say("%s; it is computed on a random sample of exactly %s of %s",
			e.Event, e.SampleSize, field.Many{N: e.SourceDatasetSize, Thing: "record"}),
		fields: []field.Field{
			field.Records("source_dataset_size", &e.SourceDatasetSize, 1),
			field.Part("sample_size", &e.SampleSize, &e.SourceDatasetSize),
			on(&e.Event, func(int64) int64 { return e.SampleSize }),
		},
	}
}
