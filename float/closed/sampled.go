// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import (
	"math"
	"math/big"

	"dpverify/float/value"
)

// sample is the profile of ((1−γ)Q + γP, Q) from the profile of (P, Q): with α = e^ε it is
// γ·δ₀(log(1 + (α−1)/γ)) for α > 1 − γ, and 1 − α below [Balle, Barthe & Gaboardi 2018,
// Theorem 2].
func sample(rate *big.Rat, base Profile) Profile {
	g := value.Rat(rate)
	keep := value.Rat(new(big.Rat).Sub(big.NewRat(1, 1), rate))
	logRate := g.Log()
	return func(eps value.Value) value.Value {
		if eps.V > 1 { // ε − log γ + log(1 − (1−γ)e^−ε), without overflow
			e := eps.Sub(logRate).Add(keep.Mul(eps.Neg().Exp()).Neg().Log1p())
			return g.Mul(base(e)).Clamp(0, 1)
		}
		low := eps.Expm1()
		if low.Neg().Lo() >= g.Hi() {
			return low.Neg()
		}
		e := low.Div(g).Log1p()
		if math.IsInf(e.Err, 1) { // next to α = 1 − γ, where δ is between 1 − α and γ
			return value.Between(math.Max(0, low.Neg().Lo()), g.Hi()).Clamp(0, 1)
		}
		return g.Mul(base(e)).Clamp(0, 1)
	}
}

// sampleReversed is the profile of (Q, (1−γ)Q + γP) from the profile of (Q, P): with α = e^ε
// and c = 1 − (1−γ)α it is c·δ₀(log(αγ/c)) where c > 0, and 0 elsewhere.
// αγ/c = 1 + (α − 1)/c and c = γ − (1−γ)(α − 1).
func sampleReversed(rate *big.Rat, base Profile) Profile {
	g := value.Rat(rate)
	keep := value.Rat(new(big.Rat).Sub(big.NewRat(1, 1), rate))
	return func(eps value.Value) value.Value {
		if keep.Log().Neg().Hi() < eps.Lo() {
			return value.Value{} // no loss is above −log(1 − γ)
		}
		m := eps.Expm1()
		c := g.Sub(keep.Mul(m))
		switch {
		case c.Hi() <= 0:
			return value.Value{}
		case c.Lo() <= 0:
			return value.Between(0, c.Hi()).Clamp(0, 1) // δ₀ ≤ 1
		}
		e := m.Div(c).Log1p()
		if math.IsInf(e.Err, 1) {
			return value.Between(0, c.Hi()).Clamp(0, 1)
		}
		return c.Mul(base(e)).Clamp(0, 1)
	}
}
