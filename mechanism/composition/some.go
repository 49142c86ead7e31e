// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import (
	"errors"
	"fmt"
	"math/big"

	"dpverify/internal/document"
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
	each := func(all []mechanism.Event, records int64) []mechanism.Event {
		out := make([]mechanism.Event, len(all))
		for i, e := range all {
			out[i] = walk(e, records)
		}
		return out
	}
	walk = func(e mechanism.Event, records int64) mechanism.Event {
		switch e := e.(type) {
		case mechanism.SelfComposed:
			e.Event, e.Count = walk(e.Event, records), min(e.Count, 2)
			return e
		case mechanism.Composed:
			return mechanism.Composed{Events: each(e.Events, records)}
		case mechanism.Maximum:
			return mechanism.Maximum{Events: each(e.Events, records)}
		case mechanism.Mean:
			return withEvents(e, each(e.Events, records))
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

// IsGuarantee reports whether e stands for the worst mechanism with some property: a factor
// of it, or of what a factor samples, is a Guarantee. What Factors refuses is none.
func IsGuarantee(e mechanism.Event) bool {
	factors, err := Factors(e)
	if err != nil {
		return false
	}
	for _, f := range factors {
		if _, ok := f.Event.(mechanism.Guarantee); ok {
			return true
		}
		if in := inside(f.Event); in != nil && IsGuarantee(in) {
			return true
		}
	}
	return false
}

// inside is what a factor runs on a sample, for a group or several times; nil if it holds no other event, or
// one that is no guarantee by itself.
func inside(e mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.PoissonSampled:
		return e.Event
	case mechanism.Group:
		return e.Event
	case mechanism.SampledWithoutReplacement:
		return e.Event
	case mechanism.SampledWithReplacement:
		return e.Event
	case mechanism.RepeatAndSelect:
		return e.Event
	case mechanism.RandomAllocation:
		return e.Event
	case mechanism.ShuffledBatches:
		return e.Event
	case mechanism.Maximum: // the factors of any one
		return mechanism.Composed(e)
	case mechanism.Mean:
		return mechanism.Composed{Events: e.Events}
	}
	return nil
}

// Corners returns an error unless two events are the corners of one with interval parameters: privacy is known to be
// monotone in all numbers in which they differ, in the direction in which they differ. They are if the decoder, asked
// for the corners of the event that has an interval for every pair of different numbers, returns the two.
func Corners(more, less mechanism.Event) error {
	wrong := errors.New("are not the corners of one event with interval parameters")
	a, err1 := document.ParseJSON(mechanism.EncodeContents(more))
	b, err2 := document.ParseJSON(mechanism.EncodeContents(less))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	both, ok := document.Between(a, b)
	if !ok {
		return wrong
	}
	r, err := mechanism.Decoder{}.EventRange(both, "event")
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", wrong, err)
	case !mechanism.Equal(r.MorePrivate, more) || !mechanism.Equal(r.LessPrivate, less):
		return wrong
	}
	return nil
}
