// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import (
	"math/big"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

// An Order is a Rényi order α ∈ (0, ∞].
type Order struct{ rat *big.Rat } // nil: ∞

// Infinity is the order ∞.
var Infinity = Order{}

// At returns the order alpha > 0; nil is ∞. Any other alpha is no order, see Check.
func At(alpha *big.Rat) Order { return Order{alpha} }

// Check returns a *mechanism.ParamError for an order that is not positive. A curve says nothing there.
func (a Order) Check() error {
	if a.rat != nil && a.rat.Sign() <= 0 {
		return &mechanism.ParamError{Field: "order", Value: a.String(), Want: "a number > 0, or inf"}
	}
	return nil
}

// Rat returns the order as a rational; false for ∞.
func (a Order) Rat() (*big.Rat, bool) { return a.rat, a.rat != nil }

func (a Order) String() string {
	if a.rat == nil {
		return "inf"
	}
	return number.Format(a.rat)
}
