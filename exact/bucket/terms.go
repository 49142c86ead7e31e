// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

	"dpverify/exact/interval"
)

// Uncorrected returns an upper bound of δ(ε), at most 1, without error correction: the bound of
// Definition 5 and Theorem 1:
//
//	Σ_{j≤i≤n} B(i)(1 − e^ε/f^i) + B(∞),  f^(j−1) < e^ε ≤ f^j.
//
// It is bound with 0 ≤ D and no real term, never less than Upper.
//
// Rounding: up, to p bits; at the lower end of ε.
func (t *Tree) Uncorrected(p interval.Prec, eps interval.Real) *big.Float {
	e, ok := t.below(p, eps)
	if !ok {
		return upperOne()
	}
	// (e + d₁)/η > n + 1, so that no bucket has a real term.
	beyond := new(big.Rat).Add(times(t.n+2, t.eta), new(big.Rat).Abs(e))
	return t.bound(p, e, new(big.Rat), beyond, interval.Int(0))
}

// ErrorTerms returns what the two error correction (EC) terms of Definition 7 take away at ε:
//
//	real    = e^ε·Σ_{j+u≤i≤n} ℓ(i), by which Upper is below Uncorrected, and
//	virtual = e^ε·Σ_{j≤i≤n} ℓ̃(i), by which Lower is below the sum without it,
//
// f^(j−1) < e^ε ≤ f^j. The terms are ℓ(i) = R(i) − B(i)/f^i and ℓ̃(i) = V(i) − B(i)/f^i of the
// masses as they are rounded, enclosed. They are for people to look at: no bound rests on them.
// Of a tree whose virtual terms are lost, the virtual one is unknown: any number.
func (t *Tree) ErrorTerms(p interval.Prec, eps interval.Real) (real, virtual interval.Interval) {
	e, ok := t.below(p, eps)
	if !ok {
		return interval.Entire(), interval.Entire()
	}
	w := max(p, interval.Prec(t.Prec())) + 64
	j := ceilQuo(e, t.eta, -t.n, t.n+1)
	k := max(j, ceilQuo(new(big.Rat).Add(e, t.worst()), t.eta, -t.n, t.n+1))
	term := func(m *masses, from int) interval.Interval {
		y := w.Mul(power(w, e), w.BigInt(m.sum(from, t.n+1)))
		if from = max(from, t.b.first); from <= t.b.last() {
			x := power(w, new(big.Rat).Sub(e, times(from, t.eta)))
			y = w.Sub(y, w.Mul(x, t.b.discounted(t.eta, from, t.b.last()+1, 1)))
		}
		return p.Round(w.Scale(y, -int(t.Prec())))
	}
	if virtual = interval.Entire(); !t.blind {
		virtual = term(t.v, j)
	}
	return term(t.r, k), virtual
}
