// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/number"
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

// ClassName returns "TradeOffEvent".
func (TradeOff) ClassName() string { return "TradeOffEvent" }

// MarshalJSON writes the event as EncodeEvent does.
func (e TradeOff) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e TradeOff) encodeFields(w *encoder) {
	w.field("points")
	w.raw("[")
	for i, p := range e.Points {
		if i > 0 {
			w.raw(",")
		}
		w.raw("[")
		w.rat(p.Alpha)
		w.raw(",")
		w.rat(p.Beta)
		w.raw("]")
	}
	w.raw("]")
}

// A greater β is satisfied by fewer mechanisms, and the worst of fewer is no worse.
func decodeTradeOff(r *reader) Event {
	const want = "[alpha, beta]"
	items := r.list("points", want)
	points := make([]TradeOffPoint, 0, len(items))
	for i, n := range items {
		field := index("points", i)
		if n == nil || n.Kind != document.Sequence || len(n.Items) != 2 {
			r.Err = r.Invalid(field, n, want)
			return nil
		}
		p := TradeOffPoint{
			Alpha: r.scalar(index(field, 0), n.Items[0], number.Probability, unproved),
			Beta:  r.scalar(index(field, 1), n.Items[1], number.Probability, morePrivate),
		}
		if r.Err != nil {
			return nil
		}
		if i > 0 && p.Alpha.Cmp(points[i-1].Alpha) <= 0 {
			r.Err = r.Invalid(index(field, 0), n.Items[0], "more than "+index(index("points", i-1), 0))
			return nil
		}
		if new(big.Rat).Add(p.Alpha, p.Beta).Cmp(big.NewRat(1, 1)) > 0 {
			at := fmt.Sprintf("[%s, %s]", show.Cut(number.Format(p.Alpha)), show.Cut(number.Format(p.Beta)))
			r.Err = r.InvalidText(field, n, at, "beta <= 1 - alpha: a test that ignores the data has that")
			return nil
		}
		points = append(points, p)
	}
	return TradeOff{Points: points}
}
