// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

// SampledWithReplacement runs Event on SampleSize records drawn uniformly and independently from
// SourceDatasetSize records: a record may be in the sample several times.
type SampledWithReplacement struct {
	SourceDatasetSize int64 // in [1, MaxCount]
	SampleSize        int64 // in [0, MaxCount]
	Event             Event
}

func (SampledWithReplacement) ClassName() string              { return "SampledWithReplacementDpEvent" }
func (e SampledWithReplacement) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e SampledWithReplacement) encodeFields(w *encoder) {
	w.Integer("source_dataset_size", e.SourceDatasetSize)
	w.Integer("sample_size", e.SampleSize)
	w.inner(e.Event)
}

func decodeSampledWithReplacement(r *reader) Event {
	return SampledWithReplacement{
		SourceDatasetSize: r.Integer("source_dataset_size", 1, MaxCount),
		SampleSize:        r.Integer("sample_size", 0, MaxCount),
		Event:             r.event("event"),
	}
}
