// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"math/big"

	"dpverify/mechanism"
)

// SampleSome returns an event whose samples of nothing, at a sampling probability, a
// sample size or a number of selected steps of 0, are samples of something instead, and whether there are any. Factors
// drops a sample of nothing, but whether it has a meaning under a relation depends on
// the event sampled, which is the same for all sample sizes that are not everything, and for all
// counts above 1.
//
// The event has to be valid. The result is: the sizes of nested samples fit, whatever they
// were inside a sample of nothing; what was a sample of everything is one, and nothing else is.
// Counts of 2 stand for all greater ones, which could be too many once nothing is dropped.
func SampleSome(e mechanism.Event) (mechanism.Event, bool) {
	changed := false
	var walk func(e mechanism.Event, records int64) mechanism.Event
	// records is the size of the sample that e is run on, or 0 if it has no fixed one.
	walk = func(e mechanism.Event, records int64) mechanism.Event {
		switch e := e.(type) {
		case mechanism.SelfComposed:
			e.Event, e.Count = walk(e.Event, records), min(e.Count, 2)
			return e
		case mechanism.Composed:
			es := make([]mechanism.Event, len(e.Events))
			for i, child := range e.Events {
				es[i] = walk(child, records)
			}
			return mechanism.Composed{Events: es}
		case mechanism.Maximum:
			es := make([]mechanism.Event, len(e.Events))
			for i, child := range e.Events {
				es[i] = walk(child, records)
			}
			return mechanism.Maximum{Events: es}
		case mechanism.Mean:
			es := make([]mechanism.Event, len(e.Events))
			for i, child := range e.Events {
				es[i] = walk(child, records)
			}
			return withEvents(e, es)
		case mechanism.Group:
			e.Event = walk(e.Event, records)
			return e
		case mechanism.PoissonSampled:
			if e.SamplingProbability.Sign() == 0 {
				e.SamplingProbability, changed = big.NewRat(1, 2), true
			}
			if e.SamplingProbability.Cmp(one) < 0 {
				records = 0
			}
			e.Event = walk(e.Event, records)
			return e
		case mechanism.SampledWithoutReplacement:
			if records == 0 {
				records = mechanism.MaxCount // more than the depth of any event, so that samples can shrink
			}
			changed = changed || e.SampleSize == 0
			if e.SampleSize < e.SourceDatasetSize {
				e.SampleSize = records - 1
			} else {
				e.SampleSize = records
			}
			e.SourceDatasetSize = records
			e.Event = walk(e.Event, e.SampleSize)
			return e
		case mechanism.SampledWithReplacement:
			if e.SampleSize == 0 {
				e.SampleSize, changed = 1, true
			}
			if records > 0 {
				e.SourceDatasetSize = records
			}
			e.Event = walk(e.Event, e.SampleSize)
			return e
		case mechanism.RepeatAndSelect:
			e.Event = walk(e.Event, records)
			if e.Mean.Sign() == 0 {
				e.Mean, changed = one, true
			}
			return e
		case mechanism.RandomAllocation:
			if e.NumSelected == 0 {
				e.NumSelected, e.NumSteps, changed = 1, 2, true
			}
			if e.NumSelected < e.NumSteps {
				records = 0
			}
			e.Event = walk(e.Event, records)
			return e
		case mechanism.ShuffledBatches:
			if e.Batches > 1 {
				records = 0
			}
			e.Event = walk(e.Event, records)
			return e
		case mechanism.TruncatedSubsampledGaussian:
			if records > 0 {
				e.DatasetSize = records
			}
			return e
		case mechanism.Shuffled:
			if records > 0 {
				e.Reports = records
			}
			return e
		}
		return e
	}
	some := walk(e, 0)
	return some, changed
}
