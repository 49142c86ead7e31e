// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
)

// DominatingPair is a guarantee: it stands for the worst mechanism whose privacy
// profile is at most δ_i at ε_i, for every point i and in both orientations.
type DominatingPair struct {
	Profile []ProfilePoint // at least one, Epsilon strictly increasing
}

// A ProfilePoint bounds a privacy profile at one point: δ(Epsilon) ≤ Delta.
type ProfilePoint struct {
	Epsilon *big.Rat // any real, in nats
	Delta   *big.Rat // in [0, 1], and at least 1 − e^Epsilon: no pair has less
}

func (DominatingPair) ClassName() string              { return "DominatingPairEvent" }
func (e DominatingPair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e DominatingPair) encodeFields(w *encoder) {
	w.Pairs("profile", len(e.Profile), func(i int) (x, y *big.Rat) { return e.Profile[i].Epsilon, e.Profile[i].Delta })
}

// A smaller δ is satisfied by fewer mechanisms, and the worst of fewer is no
// worse.
func decodeDominatingPair(r *reader) Event {
	var e DominatingPair
	r.pairs("profile", "[epsilon, delta]", number.Any, number.Probability, lessPrivate, func(x, y *big.Rat) string {
		e.Profile = append(e.Profile, ProfilePoint{x, y})
		if !number.Attainable(x, y) {
			return "delta >= 1 - e^epsilon: no pair has less"
		}
		return ""
	})
	return e
}
