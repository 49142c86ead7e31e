// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
)

// RepeatAndSelect runs Event K times independently and releases the best output, by an order of the outputs that
// does not depend on the data; nothing if K = 0. K is drawn independently of the data: Poisson
// with the mean Mean if Shape is nil, and otherwise with a truncated negative binomial distribution of mean Mean,
//
//	P(K = k) ∝ (1 − γ)^k·Π_{l<k} (l + η)/(l + 1), k ≥ 1, η = Shape,
//
// geometric for η = 1 and logarithmic for η = 0 [Papernot & Steinke 2022].
type RepeatAndSelect struct {
	Event Event
	Mean  *big.Rat // in [1, MaxCount]; of a Poisson distribution in [0, MaxCount]
	Shape *big.Rat // in (−1, MaxCount]; nil: infinite
}

func (RepeatAndSelect) ClassName() string              { return "RepeatAndSelectDpEvent" }
func (e RepeatAndSelect) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e RepeatAndSelect) encodeFields(w *encoder) {
	w.inner(e.Event)
	w.Number("mean", e.Mean)
	if e.Shape == nil {
		w.Text("shape", "inf")
		return
	}
	w.Number("shape", e.Shape)
}

var (
	poissonMean = number.Domain{Want: "in [0, 1000000000000]", Contains: func(r *big.Rat) bool {
		return r.Sign() >= 0 && r.Cmp(new(big.Rat).SetInt64(MaxCount)) <= 0
	}}
	repetitions = number.Domain{Want: "in [1, 1000000000000]", Contains: func(r *big.Rat) bool {
		return poissonMean.Contains(r) && r.Cmp(one) >= 0
	}}
	repetitionShape = number.Domain{Want: `> -1 and <= 1000000000000, or "inf"`, Contains: func(r *big.Rat) bool {
		return r.Cmp(big.NewRat(-1, 1)) > 0 && r.Cmp(new(big.Rat).SetInt64(MaxCount)) <= 0
	}}
)

// meanDomain is where the mean may be: one run at least, but of a Poisson distribution.
func (e RepeatAndSelect) meanDomain() number.Domain {
	if e.Shape == nil {
		return poissonMean
	}
	return repetitions
}

// Of neither parameter is an order proved: more repetitions hide one of them among more.
func decodeRepeatAndSelect(r *reader) Event {
	e := RepeatAndSelect{Event: r.event("event")}
	if n := r.Node.Get("shape"); n == nil || n.Kind != document.String && n.Kind != document.Number || !isInfinite(n.Text) {
		e.Shape = r.number("shape", repetitionShape, unproved)
	}
	e.Mean = r.number("mean", e.meanDomain(), unproved)
	return e
}

// isInfinite reports whether a text is one of those in which programs write ∞.
func isInfinite(text string) bool {
	switch text {
	case "inf", "Infinity", "infinity", ".inf":
		return true
	}
	return false
}
