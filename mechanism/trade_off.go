// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
)

// TradeOff is a guarantee: it stands for the worst mechanism that is f-DP in both orientations, where f is the greatest
// convex function that is at most β at each point (α, β), at most 1 at 0, and 0 at 1: linear between the points that
// are corners of it.
//
// Points of a curve that bends more are no guarantee in this sense unless it holds for the chords between them.
type TradeOff struct {
	Points []TradeOffPoint // at least one, Alpha strictly increasing
}

// A TradeOffPoint bounds the errors of all tests: of type I at most Alpha, the one of type II is at least Beta.
type TradeOffPoint struct {
	Alpha *big.Rat // in [0, 1]
	Beta  *big.Rat // in [0, 1 − Alpha]: a blind test has that
}

func (TradeOff) ClassName() string              { return "TradeOffEvent" }
func (e TradeOff) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TradeOff) describe() description {
	return description{
		value: &e,
		about: "The worst mechanism that is f-DP in both orientations, f the greatest convex function that is at " +
			"most beta at each point, at most 1 at 0 and 0 at 1.",
		bound:   "worst case of f-DP in both orientations, f linear between the points: a finite pair, exactly",
		example: `"points":[["0.1","0.6"],["0.3","0.3"],["0.6","0.1"]]`,
		sentence: say("known by its guarantee only: every test of whether a record is there has the errors of a trade-off "+
			"function through %s, or greater ones", field.Elements(e.Points, "listed point")),
		fields: []field.Field{
			// A greater β is satisfied by fewer mechanisms, and the worst of fewer is no worse.
			field.Pairs("points", "[alpha, beta]", &e.Points, field.Probability(0.01, 0.4),
				field.Probability(0.1, 0.6), field.MorePrivate,
				func(x, y *big.Rat) TradeOffPoint { return TradeOffPoint{x, y} },
				func(p TradeOffPoint) (x, y *big.Rat) { return p.Alpha, p.Beta },
				func(x, y *big.Rat) string {
					if new(big.Rat).Add(x, y).Cmp(one) > 0 {
						return "beta <= 1 - alpha: a test that ignores the data has that"
					}
					return ""
				}).Means("[alpha, beta] with alpha strictly increasing and beta <= 1 - alpha."),
		},
	}
}
