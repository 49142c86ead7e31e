// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/field"
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

func (e ThresholdedNoise) describe() description {
	return description{
		value: &e,
		about: "Noisy counts by key, each released if it is at least a threshold.",
		bound: "noise or a key that shows up, whichever is worse: exactly for up to 16 keys released once; " +
			"compositions above by the pair of the greater profile, below by fixed choices",
		relations: oneSided,
		example:   `"event":{"class_name":"LaplaceDpEvent","noise_multiplier":"2"},"threshold":"30","keys":1`,
		sentence: say("a list of counts by key, of which one record moves at most %s; a count is released with its key "+
			"only where it is at least %s with its noise, and is %s", e.Keys, e.Threshold, e.Event),
		fields: []field.Field{
			// A greater threshold reveals less of a key that only the record has, and nothing else depends
			// on it. More noise hides counts better, but may release such a key more often: nothing
			// is claimed of the noise.
			innerOf(&e.Event, Gaussian{}, Laplace{}, DiscreteLaplace{}, DiscreteGaussian{}).
				Means("The noise on one record's count, without intervals."),
			field.Rule(func() (name, value, want string) { return oneCount(e.Event) }),
			field.Real(5, 100).Number("threshold", &e.Threshold, field.MorePrivate),
			field.Integer("keys", &e.Keys, 1, MaxCount, 1, 3).
				Means("How many keys a record may have."),
		},
	}
}

// oneCount refuses an event that is no noise on one number, as a rule does.
func oneCount(e Event) (name, shown, want string) {
	switch e := e.(type) {
	case nil:
		shown = "nothing"
	case Gaussian, Laplace, DiscreteLaplace:
		return "", "", ""
	case DiscreteGaussian:
		if e.Dimension <= 1 {
			return "", "", ""
		}
		shown = fmt.Sprintf("%s of %d dimensions", e.ClassName(), e.Dimension)
	default:
		shown = show.Cut(e.ClassName())
	}
	return "event", shown,
		"GaussianDpEvent, LaplaceDpEvent, DiscreteLaplaceDpEvent, or DiscreteGaussianDpEvent of one dimension"
}
