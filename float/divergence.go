// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package float

import (
	"math/big"

	"dpverify/float/pair"
	"dpverify/float/renyi"
	"dpverify/float/value"
	"dpverify/mechanism/argument"
)

// Divergence returns R_α(P‖Q), in nats, the maximum over the orientations of a question,
// for α > 1. The error is an *UnsupportedError, also where a divergence is infinite, or
// one of package mechanism.
func Divergence(q Question, alpha *big.Rat) (Value, error) {
	if err := argument.Number("alpha", alpha, nil, nil); err != nil {
		return Value{}, err
	}
	products, err := pair.Resolve(q.Event, q.Relation, q.Direction)
	if err != nil {
		return Value{}, err
	}
	a := value.Rat(alpha)
	if !(a.Lo() > 1) {
		return Value{}, &UnsupportedError{Class: q.Event.ClassName(), Reason: "an order that is not above 1"}
	}
	var out Value
	for i, x := range products {
		c, ok := renyi.New(x)
		if !ok {
			return Value{}, &UnsupportedError{Class: q.Event.ClassName(), Reason: "no moments, or infinite ones"}
		}
		if r := c.Divergence(a); i == 0 {
			out = r
		} else {
			out = value.Max(out, r)
		}
	}
	return out, nil
}
