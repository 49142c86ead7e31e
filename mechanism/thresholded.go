// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// ThresholdedNoise releases noisy counts by key, each only if it is at least a threshold. A
// key exists only if some record has it, and a record has at most Keys of them. The count of a key
// moves by 1, in the unit of the noise (by the sensitivity of discrete noise), with a record more or less.
type ThresholdedNoise struct {
	Event     Event    // the noise: a Gaussian, Laplace, DiscreteLaplace or DiscreteGaussian of one dimension
	Threshold *big.Rat // in the unit of the noise
	Keys      int64    // in [1, MaxCount]
}

func (ThresholdedNoise) ClassName() string              { return "ThresholdedNoiseEvent" }
func (e ThresholdedNoise) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e ThresholdedNoise) encodeFields(w *encoder) {
	w.inner(e.Event)
	w.Number("threshold", e.Threshold)
	w.Integer("keys", e.Keys)
}

// A greater threshold reveals less of a key that only the record has, and nothing else depends
// on it. More noise hides counts better, but may release such a key more often: nothing
// is claimed of the noise.
func decodeThresholdedNoise(r *reader) Event {
	e := ThresholdedNoise{Event: r.exactly("event")}
	if r.Err == nil {
		r.Err = r.oneCount(e.Event)
	}
	e.Threshold = r.number("threshold", number.Any, morePrivate)
	e.Keys = r.Integer("keys", 1, MaxCount)
	return e
}

// exactly reads a nested event without intervals.
func (r *reader) exactly(field string) Event {
	admits := r.s.admitsIntervals
	r.s.admitsIntervals = false
	defer func() { r.s.admitsIntervals = admits }()
	return r.event(field)
}

// oneCount checks that an event is noise on one number.
func (r *reader) oneCount(e Event) error {
	const want = "GaussianDpEvent, LaplaceDpEvent, DiscreteLaplaceDpEvent, or DiscreteGaussianDpEvent of one dimension"
	switch e := e.(type) {
	case Gaussian, Laplace, DiscreteLaplace:
		return nil
	case DiscreteGaussian:
		if e.Dimension <= 1 {
			return nil
		}
		return r.InvalidText("event", r.Node.Get("event"), fmt.Sprintf("%s of %d dimensions", e.ClassName(), e.Dimension), want)
	}
	return r.InvalidText("event", r.Node.Get("event"), show.Cut(e.ClassName()), want)
}
