// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/number"
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

func (e TradeOff) encodeFields(w *encoder) {
	w.Pairs("points", len(e.Points), func(i int) (x, y *big.Rat) { return e.Points[i].Alpha, e.Points[i].Beta })
}

// A greater β is satisfied by fewer mechanisms, and the worst of fewer is no worse.
func decodeTradeOff(r *reader) Event {
	var e TradeOff
	r.pairs("points", "[alpha, beta]", number.Probability, number.Probability, morePrivate, func(x, y *big.Rat) string {
		e.Points = append(e.Points, TradeOffPoint{x, y})
		if new(big.Rat).Add(x, y).Cmp(one) > 0 {
			return "beta <= 1 - alpha: a test that ignores the data has that"
		}
		return ""
	})
	return e
}
