// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/show"
)

// Shuffled is the multiset of Reports local reports, one of each record. A report is what a local randomizer makes of the record:
// any (ε, 0)-DP one, or randomized response.
type Shuffled struct {
	Reports int64 // in [1, MaxCount]
	Event   Event // EpsilonDelta with δ = 0, or RandomizedResponse
}

func (Shuffled) ClassName() string              { return "ShuffledEvent" }
func (e Shuffled) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e Shuffled) encodeFields(w *encoder) {
	w.Integer("reports", e.Reports)
	w.inner(e.Event)
}

// Nothing is claimed of a parameter: bounds of the two kinds of reports differ.
func decodeShuffled(r *reader) Event {
	e := Shuffled{Reports: r.Integer("reports", 1, MaxCount), Event: r.exactly("event")}
	if r.Err == nil {
		if shown, ok := localReport(e.Event); !ok {
			r.Err = r.InvalidText("event", r.Node.Get("event"), shown, localReports)
		}
	}
	return e
}

const localReports = "RandomizedResponseDpEvent, or EpsilonDeltaDpEvent with delta = 0"

// localReport reports whether an event is a local randomizer that may be shuffled, and how it looks if not.
func localReport(e Event) (shown string, ok bool) {
	switch e := e.(type) {
	case EpsilonDelta:
		return "EpsilonDeltaDpEvent with delta > 0", e.Epsilon != nil && e.Delta != nil && e.Delta.Sign() == 0
	case RandomizedResponse:
		return "", e.NoiseParameter != nil && e.NoiseParameter.Sign() >= 0 && e.NoiseParameter.Cmp(big.NewRat(1, 1)) <= 0 && e.NumBuckets >= 1
	case nil:
		return "nothing", false
	}
	return show.Cut(e.ClassName()), false
}
