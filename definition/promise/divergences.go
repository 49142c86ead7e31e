// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package promise

import (
	"math"
	"math/big"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// Divergences promises R_α ≤ values[i] at orders[i]; where there are none, R_α ≤ ξ + ρα at all α > 1.
type Divergences struct {
	Orders, Values []*big.Rat
	Rho, Xi        *big.Rat
}

func (Divergences) Line() []corner { return nil }

func (d Divergences) seems(p, q []*big.Rat) bool {
	x, y := masses.Floats(p), masses.Floats(q)
	return d.about(x, y) && d.about(y, x)
}

func (d Divergences) about(x, y []float64) bool {
	var most *big.Rat
	if loss := masses.RenyiFloat(x, y, math.Inf(1)); !math.IsInf(loss, 1) {
		most = new(big.Rat).SetFloat64(loss)
	}
	return d.holds(most, func(order, v *big.Rat) bool {
		return masses.RenyiFloat(x, y, number.Float64(order)) <= number.Float64(v)
	})
}

func (d Divergences) Kept(p, q []*big.Rat) bool {
	return d.seems(p, q) && d.surely(p, q) && d.surely(q, p)
}

// surely is about with bounds.
func (d Divergences) surely(p, q []*big.Rat) bool {
	var most *big.Rat
	if ratio := (masses.Pair{P: masses.Exactly(p), Q: masses.Exactly(q)}).GreatestRatioAtLeast(); ratio != nil {
		most, _ = interval.Max(masses.Working.Log(masses.Working.Rat(ratio)), interval.Int(0)).UpperRat()
	}
	return d.holds(most, func(order,
		v *big.Rat) bool {
		return masses.Renyi(64, p, q, order).LessEqRat(v) == interval.True
	})
}

// holds reports the promise about R_α(p‖q), where within compares that with a number and most is at least the greatest
// loss, or nil. R_α rises with α, so that R_α ≤ ξ + ρα on [a, b] if R_b ≤ ξ + ρa, and from where most is at most ξ +
// ρα.
func (d Divergences) holds(most *big.Rat, within func(order, v *big.Rat) bool) bool {
	for i, order := range d.Orders {
		if !within(order, d.Values[i]) {
			return false
		}
	}
	if d.Orders != nil || most == nil {
		return d.Orders != nil
	}
	for a := int64(64); ; {
		limit := new(big.Rat).Mul(d.Rho, big.NewRat(a, 64))
		if limit.Add(limit, d.Xi).Cmp(most) >= 0 {
			return true
		}
		b := a + max(1, (a-56)/8)
		if d.Rho.Sign() == 0 || !within(big.NewRat(b, 64), limit) {
			return false
		}
		a = b
	}
}
