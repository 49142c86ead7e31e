// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"math/big"
	"slices"

	"dpverify/mechanism"
)

// A property says which claims follow from what a guarantee states, with nothing computed.
type property struct{ mechanism.Property }

// hasDelta reports whether δ(eps) ≤ delta is one of the inequalities, or weaker than
// one: a profile does not grow with ε.
func (p property) hasDelta(eps, delta *big.Rat) bool {
	return slices.ContainsFunc(p.Profile, func(x mechanism.ProfilePoint) bool {
		return x.Epsilon.Cmp(eps) <= 0 && x.Delta.Cmp(delta) <= 0
	})
}

// hasRenyi reports whether R_order ≤ value is one of the inequalities, or weaker than
// one: divergences do not fall with the order. The order is more than 1.
func (p property) hasRenyi(order, value *big.Rat) bool {
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

// hasRho reports whether R_α ≤ rho·α for all α > 1 is weaker than one of the
// inequalities, or one of them: ξ/α + ρ is largest where α tends to 1.
func (p property) hasRho(rho *big.Rat) bool {
	if p.Concentrated == nil {
		return false
	}
	return new(big.Rat).Add(p.Concentrated.Xi, p.Concentrated.Rho).Cmp(rho) <= 0
}

// holdsOnlyWithoutLoss reports whether P = Q follows from one of the inequalities:
// δ(ε) = 0 for an ε ≤ 0, or a divergence of 0. Composed with such a mechanism, another
// is what it is alone.
func (p property) holdsOnlyWithoutLoss() bool {
	c := p.Concentrated
	return p.hasDelta(new(big.Rat), new(big.Rat)) ||
		slices.ContainsFunc(p.Renyi, func(x mechanism.RenyiPoint) bool { return x.Value.Sign() == 0 }) ||
		c != nil && c.Rho.Sign() == 0 && c.Xi.Sign() == 0
}
