// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"dpverify/internal/field"
	"dpverify/internal/show"
)

// Shuffled is the multiset of Reports local reports, one of each record. A report is what a local randomizer makes of
// the record: any (ε, 0)-DP one, randomized response, or one that is a table.
type Shuffled struct {
	Reports int64 // in [1, MaxCount]
	Event   Event // EpsilonDelta with δ = 0, RandomizedResponse, or LocalRandomizer
}

func (Shuffled) ClassName() string              { return "ShuffledEvent" }
func (e Shuffled) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Shuffled) describe() description {
	return description{
		value: &e,
		about: "The multiset of local reports, one of each record.",
		bound: "local reports, shuffled: above by the privacy blanket of the others, below where all others have one " +
			"value; a gap remains, which is small but of two buckets",
		relations: replaceOne,
		example:   `"reports":1000,"event":{"class_name":"EpsilonDeltaDpEvent","epsilon":"1","delta":0}`,
		sentence: say("the shuffled reports of %s, each by itself %s",
			field.Many{N: e.Reports, Thing: "record"}, e.Event),
		fields: []field.Field{
			// Nothing is claimed of a parameter: bounds of the two kinds of reports differ.
			field.Records("reports", &e.Reports, 1),
			innerOf(&e.Event, EpsilonDelta{}, RandomizedResponse{}, LocalRandomizer{}),
			field.Rule(func() (name, value, want string) { return localReport(e.Event) }),
		},
	}
}

// localReport refuses an event that is no local randomizer, as a rule does.
func localReport(e Event) (name, shown, want string) {
	ok := false
	switch x := e.(type) {
	case EpsilonDelta:
		shown, ok = "EpsilonDeltaDpEvent with delta > 0", x.Epsilon != nil && x.Delta != nil && x.Delta.Sign() == 0
	case RandomizedResponse, LocalRandomizer:
		ok = true
	case nil:
		shown = "nothing"
	default:
		shown = show.Cut(e.ClassName())
	}
	if ok {
		return "", "", ""
	}
	return "event", shown, "RandomizedResponseDpEvent, LocalRandomizerEvent, or EpsilonDeltaDpEvent with delta = 0"
}
