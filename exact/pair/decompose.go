// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import "math/big"

// A Simulation says how approximate randomized response is processed to give a finite pair: its four outputs, the
// secret shown, right, wrong, and the other secret shown, become samples of P′, A, B and Q′ [Steinke 2022, Corollary
// 24; Chourasia et al. 2024, Lemma A.1]. With E = Growth, outcome by outcome,
//
//	P = (1−δ)·(E·A + B)/(E + 1) + δ·P′, Q = (1−δ)·(E·B + A)/(E + 1) + δ·Q′.
type Simulation struct {
	Growth, Delta *big.Rat
	A, B          []*big.Rat
	RestP, RestQ  []*big.Rat // P′ and Q′; nil where δ = 0
}

// Simulate returns how randomized response of e^ε = growth ≥ 1 and δ gives the pair, and reports false if
// it does not: if H_growth of an orientation exceeds δ.
//
// Claim. If no orientation has H_E above δ, E = growth, there are P̂ ≤ P and Q̂ ≤ Q of mass 1 − δ with P̂ ≤ E·Q̂ and
// Q̂ ≤ E·P̂.
//
// Proof. Let P₁ = min(P, E·Q) and Q₁ = min(Q, E·P). Then P₁ ≤ E·Q₁ and Q₁ ≤ E·P₁.
// Their masses 1 − H_E(P‖Q) and 1 − H_E(Q‖P) are both at least 1 − δ.
// If Q₁ has the greater mass, put (1−θ)·Q₁ + θ·P₁/E in its place, which lies between P₁/E and Q₁: both inequalities
// stay. Its mass falls with θ ∈ [0, 1] from |Q₁| to |P₁|/E ≤ |P₁|, so that for one θ it is |P₁|. If P₁ has the greater
// mass, the same is done with it. Both are scaled to the mass 1 − δ.
//
// For E > 1,
//
//	A = (E·P̂ − Q̂)/((1−δ)(E−1)), B = (E·Q̂ − P̂)/((1−δ)(E−1))
//
// are not negative, have the mass 1, and are what is wanted. For E = 1, P̂ = Q̂ = (1−δ)·A, B = A.
func (f Finite) Simulate(growth, delta *big.Rat) (Simulation, bool) {
	s := Simulation{Growth: growth, Delta: delta}
	reverse := f.Reverse().(Finite)
	if growth.Cmp(ratOne) < 0 || f.Delta(growth).Cmp(delta) > 0 || reverse.Delta(growth).Cmp(delta) > 0 ||
		delta.Cmp(ratOne) > 0 {
		return s, false
	}
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	sub := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	quo := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
	least := func(a, b *big.Rat) *big.Rat {
		if a.Cmp(b) <= 0 {
			return a
		}
		return b
	}
	p, q := make([]*big.Rat, len(f.Masses)), make([]*big.Rat, len(f.Masses))
	sumP, sumQ := new(big.Rat), new(big.Rat)
	for i, m := range f.Masses {
		p[i], q[i] = least(m.P, mul(growth, m.Q)), least(m.Q, mul(growth, m.P))
		sumP.Add(sumP, p[i])
		sumQ.Add(sumQ, q[i])
	}
	// level lowers ys, whose mass is y, to the mass x of xs.
	level := func(xs, ys []*big.Rat, x, y *big.Rat) {
		if y.Cmp(x) <= 0 {
			return
		}
		theta := quo(sub(y, x), sub(y, quo(x, growth)))
		for i := range ys {
			ys[i] = sub(ys[i], mul(theta, sub(ys[i], quo(xs[i], growth))))
		}
	}
	level(p, q, sumP, sumQ)
	level(q, p, sumQ, sumP)
	mass := least(sumP, sumQ)
	keep := sub(ratOne, delta)
	for i, m := range f.Masses {
		if mass.Sign() > 0 {
			p[i], q[i] = mul(p[i], quo(keep, mass)), mul(q[i], quo(keep, mass))
		}
		if delta.Sign() > 0 {
			s.RestP, s.RestQ = append(s.RestP, quo(sub(m.P, p[i]), delta)), append(s.RestQ, quo(sub(m.Q, q[i]), delta))
		}
		a, b := m.P, m.Q // any, where nothing is kept
		switch scale := mul(keep, sub(growth, ratOne)); {
		case scale.Sign() > 0:
			a, b = quo(sub(mul(growth, p[i]), q[i]), scale), quo(sub(mul(growth, q[i]), p[i]), scale)
		case keep.Sign() > 0:
			a = quo(p[i], keep)
			b = a
		}
		s.A, s.B = append(s.A, a), append(s.B, b)
	}
	return s, true
}
