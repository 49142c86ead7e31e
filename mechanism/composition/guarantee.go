// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package composition

import "dpverify/mechanism"

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
