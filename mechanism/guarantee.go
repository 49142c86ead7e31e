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

// HasDelta reports whether δ(eps) ≤ delta is one of the inequalities, or weaker than
// one: a profile does not grow with ε.
func (p Property) HasDelta(eps, delta *big.Rat) bool {
	for _, x := range p.Profile {
		if x.Epsilon.Cmp(eps) <= 0 && x.Delta.Cmp(delta) <= 0 {
			return true
		}
	}
	return false
}

// HasRenyi reports whether R_order ≤ value is one of the inequalities, or weaker than
// one: divergences do not fall with the order. The order is more than 1.
func (p Property) HasRenyi(order, value *big.Rat) bool {
	for _, x := range p.Renyi {
		if x.Order.Cmp(order) >= 0 && x.Value.Cmp(value) <= 0 {
			return true
		}
	}
	if p.Concentrated == nil {
		return false
	}
	line := new(big.Rat).Mul(p.Concentrated.Rho, order)
	return line.Add(line, p.Concentrated.Xi).Cmp(value) <= 0
}

// HasRho reports whether R_α ≤ rho·α for all α > 1 is weaker than one of the
// inequalities, or one of them: ξ/α + ρ is largest where α tends to 1.
func (p Property) HasRho(rho *big.Rat) bool {
	if p.Concentrated == nil {
		return false
	}
	return new(big.Rat).Add(p.Concentrated.Xi, p.Concentrated.Rho).Cmp(rho) <= 0
}

// HoldsOnlyWithoutLoss reports whether P = Q follows from one of the inequalities:
// δ(ε) = 0 for an ε ≤ 0, or a divergence of 0. Composed with such a mechanism, another
// is what it is alone.
func (p Property) HoldsOnlyWithoutLoss() bool {
	for _, x := range p.Profile {
		if x.Epsilon.Sign() <= 0 && x.Delta.Sign() == 0 {
			return true
		}
	}
	for _, x := range p.Renyi {
		if x.Value.Sign() == 0 {
			return true
		}
	}
	c := p.Concentrated
	return c != nil && c.Rho.Sign() == 0 && c.Xi.Sign() == 0
}
