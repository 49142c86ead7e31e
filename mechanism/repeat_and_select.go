// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"
	"slices"

	"dpverify/internal/document"
	"dpverify/internal/field"
	"dpverify/internal/number"
)

// RepeatAndSelect runs Event K times independently and releases the best output, by an order of the outputs that
// does not depend on the data, and may be drawn at random, for all to see; nothing if K = 0. K is drawn independently
// of the data: Poisson with the mean Mean if Shape is nil, and otherwise with a truncated negative binomial
// distribution of mean Mean,
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

func (e RepeatAndSelect) describe() description {
	mean := field.Domain{Domain: field.Between(0, MaxCount), Definition: "nonNegative", Lo: 2, Hi: 100}.
		Number("mean", &e.Mean, field.Unproved)
	mean.Read = func(r *field.Reader) { e.Mean = r.Real("mean", e.meanDomain(), field.Unproved) }
	mean.Valid = func(v *field.Validation) bool { return v.Number(e.Mean, e.meanDomain()) }
	return description{
		value: &e,
		about: "The best output of a random number of independent runs of an event.",
		bound: "the best of a random number of runs: above by the places that outputs may have in an order, below by " +
			"orders; a gap remains",
		example:  `"mean":10,"shape":1,"event":{"class_name":"GaussianDpEvent","noise_multiplier":"4"}`,
		sentence: say("the best of a random number of runs, %s in the mean; each run is %s", e.Mean, e.Event),
		// Of neither parameter is an order proved: more repetitions hide one of them among more.
		fields: []field.Field{inner(&e.Event), mean.Last(), e.shape()},
	}
}

// repetitionShape is the domain of a shape that is finite.
var repetitionShape = number.Domain{Want: `> -1 and <= 1000000000000, or "inf"`, Contains: func(r *big.Rat) bool {
	return r.Cmp(big.NewRat(-1, 1)) > 0 && r.Cmp(new(big.Rat).SetInt64(MaxCount)) <= 0
}}

// meanDomain is where the mean may be: one run at least, but of a Poisson distribution.
func (e RepeatAndSelect) meanDomain() number.Domain {
	if e.Shape == nil {
		return field.Between(0, MaxCount)
	}
	return field.Between(1, MaxCount)
}

// shape is the field of that name.
func (e *RepeatAndSelect) shape() field.Field {
	f := field.Domain{Domain: repetitionShape, Lo: 1, Hi: 2}.Number("shape", &e.Shape, field.Unproved)
	f.Schema = func() string {
		return `"anyOf": [{"type": "number", "exclusiveMinimum": -1}, {` + field.Ref("numberText") + `}, {"const": "inf"}]`
	}
	finite, infinite := f, []string{"inf", "Infinity", "infinity", ".inf"} // as programs write ∞
	f.Read = func(r *field.Reader) {
		n := r.Node.Get("shape")
		if n == nil || n.Kind != document.String && n.Kind != document.Number || !slices.Contains(infinite, n.Text) {
			finite.Read(r)
		}
	}
	f.Write = func(w *field.Writer) {
		if e.Shape == nil {
			w.Text("shape", "inf")
			return
		}
		finite.Write(w)
	}
	f.Valid = func(v *field.Validation) bool { return e.Shape == nil || finite.Valid(v) }
	f.Draw = func(d *field.Drawing) {
		if d.Rand.IntN(3) > 0 {
			finite.Draw(d)
		}
	}
	return f.Means("0: logarithmic, 1: geometric, inf: Poisson, otherwise > -1: truncated negative binomial.")
}
