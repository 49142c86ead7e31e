// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package witness shows why a claim is false: two neighbouring data sets, what the event does with them, and a set of
// outputs that has the probability P(S) on the one and Q(S) on the other, with P(S) > e^ε·Q(S) + δ.
//
// It is found where somebody can follow it. Gaussian noise has a half line. An event that package definition can run
// has a set of outcomes, and a composition of many of them the outcomes of which rounded losses add up to a threshold
// or more. Where steps are chosen in view of earlier outputs, the policy says at which loss each of them is what.
// Elsewhere only a pair of distributions is known, and the witness says so.
package witness

import (
	"math/big"

	"dpverify/definition"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// bits is the precision of probabilities.
const bits = interval.Prec(256)

// A Request asks why an event is not (Epsilon, Delta)-DP.
type Request struct {
	definition.Question
	Epsilon *big.Rat
	Delta   *big.Rat // nil: the greatest excess that is found
}

// A Witness is a set S of outputs.
type Witness struct {
	// OnP and OnQ are two neighbouring data sets, their records in words. Both are nil where only a pair of
	// distributions is known.
	OnP, OnQ []string
	// Mechanism says what is done with them.
	Mechanism string
	Set       Set
	// P and Q enclose P(S) and Q(S), and Excess P(S) − e^ε·Q(S). P and Q are nil where only the excess is known.
	P, Q   *Range
	Excess Range
	// Policy, unless nil, says what each step of a composition is, in view of the outputs before.
	Policy *exact.Policy
}

// A Line is a part of a witness in words.
type Line struct{ Name, Text string }

// A Range holds a number.
type Range struct{ Lo, Hi *big.Rat }

// A Set is one of outputs: those that Words say. Of releases with weights they are those of which the weights add up to
// AtLeast or more, and those of which one outcome is impossible on the other data set.
type Set struct {
	Words     string
	Threshold string // of the words, or ""
	Releases  []Release
	AtLeast   int64
}

// A Release is one event, so many times, and what its outcomes are.
type Release struct {
	Event    mechanism.Event
	Count    int64
	Outcomes []Outcome
}

// An Outcome has its probabilities on the two data sets.
type Outcome struct {
	Label  string
	P, Q   Range
	In     bool  // it is in the set, of one release
	Weight int64 // of several releases
	Always bool  // on Q it is impossible, so that it is in the set whatever else is released
	Never  bool  // on P it is impossible
}

// enough reports that an excess refutes the claim. Without a δ none is.
func (r Request) enough(excess *big.Rat) bool { return r.Delta != nil && excess.Cmp(r.Delta) > 0 }

// expEpsilon encloses e^ε.
func (r Request) expEpsilon() interval.Interval { return bits.Exp(bits.Rat(r.Epsilon)) }

// excess encloses p − e^ε·q.
func (r Request) excess(p, q Range) Range {
	lo, hi, ok := r.expEpsilon().Rationals()
	if !ok {
		return Range{big.NewRat(-1, 1), big.NewRat(1, 1)}
	}
	return Range{new(big.Rat).Sub(p.Lo, hi.Mul(hi, q.Hi)), new(big.Rat).Sub(p.Hi, lo.Mul(lo, q.Lo))}
}

// rangeOf is an interval between rational numbers. It reports false where these would be too long: beyond 2^±2^20.
func rangeOf(x interval.Interval) (Range, bool) {
	lo, hi, ok := x.Rationals()
	return Range{lo, hi}, ok
}
