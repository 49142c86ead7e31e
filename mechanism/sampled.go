// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e PoissonSampled) encodeFields(w *encoder) {
	w.Number("sampling_probability", e.SamplingProbability)
	w.inner(e.Event)
}

// A smaller q is more private: a sample of rate q' = tq is, with probability t,
// one of rate q and else one without the record. So its pair is the mixture
// t·(P', Q') + (1 − t)·(B, B), and H_α is jointly convex, with
// H_α(B‖B) = (1 − α)₊ never more than H_α(P'‖Q').
func decodePoissonSampled(r *reader) Event {
	return PoissonSampled{
		SamplingProbability: r.number("sampling_probability", number.Probability, lessPrivate),
		Event:               r.event("event"),
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

func (e SampledWithoutReplacement) encodeFields(w *encoder) {
	w.Integer("source_dataset_size", e.SourceDatasetSize)
	w.Integer("sample_size", e.SampleSize)
	w.inner(e.Event)
}

func decodeSampledWithoutReplacement(r *reader) Event {
	source := r.Integer("source_dataset_size", 1, MaxCount)
	return SampledWithoutReplacement{
		SourceDatasetSize: source,
		SampleSize:        r.Integer("sample_size", 0, source),
		Event:             r.event("event"),
	}
}
