// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "math/big"

// A Guarantee is an event that stands for the worst mechanism with some property.
type Guarantee interface {
	Event
	// States returns the property.
	States() Property
}

// A Property holds the inequalities that make up a guarantee. They hold in both
// orientations, for all neighbours.
type Property struct {
	Profile      []ProfilePoint // δ(Epsilon) ≤ Delta
	Renyi        []RenyiPoint   // R_Order ≤ Value
	Concentrated *ZCDP          // R_α ≤ Xi + Rho·α for all α > 1
}

// A RenyiPoint bounds the Rényi divergence of one order, in nats.
type RenyiPoint struct{ Order, Value *big.Rat }

// States returns the one point of the profile.
func (e EpsilonDelta) States() Property {
	return Property{Profile: []ProfilePoint{{e.Epsilon, e.Delta}}}
}

// States returns the line below which the divergences are.
func (e ZCDP) States() Property { return Property{Concentrated: &e} }

// States returns the divergences of the listed orders.
func (e RenyiCurve) States() Property {
	points := make([]RenyiPoint, len(e.Orders))
	for i, order := range e.Orders {
		points[i] = RenyiPoint{order, e.Values[i]}
	}
	return Property{Renyi: points}
}

// States returns the points of the profile.
func (e DominatingPair) States() Property { return Property{Profile: e.Profile} }

// States returns nothing that is known as a point of a profile or of divergences.
func (e TradeOff) States() Property { return Property{} }
