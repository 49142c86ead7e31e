// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
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

func (e DominatingPair) describe() description {
	return description{
		value:   &e,
		about:   "The worst mechanism with the given upper bounds of its privacy profile.",
		bound:   "worst case of the guarantee: the convex hull of the points",
		example: `"profile":[["0","0.3"],["1","0.1"],["2","0.01"]]`,
		sentence: say("known by its guarantee only: it is (ε, δ)-differentially private for each of %s",
			field.Elements(e.Profile, "listed pair")),
		fields: []field.Field{
			// A smaller δ is satisfied by fewer mechanisms, and the worst of fewer is no
			// worse.
			field.Pairs("profile", "[epsilon, delta]", &e.Profile, field.Real(0.01, 3),
				field.Probability(0.001, 0.4), field.LessPrivate,
				func(x, y *big.Rat) ProfilePoint { return ProfilePoint{x, y} },
				func(p ProfilePoint) (x, y *big.Rat) { return p.Epsilon, p.Delta },
				func(x, y *big.Rat) string {
					if !number.Attainable(x, y) {
						return "delta >= 1 - e^epsilon: no pair has less"
					}
					return ""
				}).Means("[epsilon, delta] with epsilon strictly increasing."),
		},
	}
}
