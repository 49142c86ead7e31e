// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// SampledWithReplacement runs Event on SampleSize records drawn uniformly and independently from
// SourceDatasetSize records: a record may be in the sample several times.
type SampledWithReplacement struct {
	SourceDatasetSize int64 // in [1, MaxCount]
	SampleSize        int64 // in [0, MaxCount]
	Event             Event
}

func (SampledWithReplacement) ClassName() string              { return "SampledWithReplacementDpEvent" }
func (e SampledWithReplacement) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e SampledWithReplacement) describe() description {
	return description{
		value: &e,
		about: "The event on records drawn uniformly and independently: a record may be drawn several times.",
		bound: "of Gaussian and Laplace noise: above by groups of copies of the record, below by other records that " +
			"are equal; a gap remains, of Gaussian noise under REPLACE_ONE next to none",
		relations: replacing,
		example: `"source_dataset_size":1000,"sample_size":10,"event":{"class_name":"GaussianDpEvent",` +
			`"noise_multiplier":"1"}`,
		sentence: say("%s; it is computed on %s from %s, with replacement",
			e.Event, field.Many{N: e.SampleSize, Thing: "random draw"},
			field.Many{N: e.SourceDatasetSize, Thing: "record"}),
		fields: []field.Field{
			field.Records("source_dataset_size", &e.SourceDatasetSize, 1),
			field.Integer("sample_size", &e.SampleSize, 0, MaxCount, 1, 100),
			on(&e.Event, func(int64) int64 { return e.SampleSize }),
		},
	}
}
