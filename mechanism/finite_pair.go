// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
	"dpverify/internal/rounded"
)

// FinitePair is a pair given outright: P(x) and Q(x) for every outcome x.
type FinitePair struct {
	P, Q []*big.Rat // of equal length ≥ 1, elements ≥ 0, each with sum exactly 1
}

func (FinitePair) ClassName() string              { return "FinitePairEvent" }
func (e FinitePair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e FinitePair) describe() description {
	var p, q rounded.Probabilities
	return description{
		value:    &e,
		about:    "P and Q, outcome by outcome.",
		bound:    "finite pair, exactly",
		example:  `"p":["3/4","1/4"],"q":["1/4","3/4"]`,
		sentence: say("given by the probabilities of its %s with a record and without it", field.Elements(e.P, "output")),
		fields: []field.Field{
			field.Distribution("p", &e.P, &p),
			field.Distribution("q", &e.Q, &q),
			field.SameLength("p", &e.P, "q", &e.Q),
			field.Settled(func(c rounded.Corner) {
				if !p.IsExact() || !q.IsExact() {
					e.P, e.Q = c.Pair(p, q)
				}
			}),
		},
	}
}
