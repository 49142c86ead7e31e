// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// A factor is a pair of distributions (P, Q), composed count times. H(α) = ∫ (p − αq)₊ is its
// profile: δ(ε) = H(e^ε). The direction add has P and Q exchanged.
type factor struct {
	kind  string   // gaussian: N(μ, 1) and N(0, 1). laplace: Lap(s, 1) and Lap(0, 1); logistic likewise. finite: atoms
	clamp *big.Rat // the noise is clamped at so much below its median before it is shifted; nil if it is not
	shift *big.Rat // μ², or s
	rate  *big.Rat // of a Poisson sample, ((1−γ)Q + γP, Q); nil if it is none
	atoms []atom
	count int64

	eps, inf *big.Rat // of some finite pairs: the greatest finite loss, and the P-mass of infinite loss
	response bool     // a guarantee or randomized response, which may reveal whether a record is there
	sampled  bool     // a finite pair that is a sample
	bounded  bool     // the pair bounds the mechanism from above only

	table      []mass // of the atoms, at W bits
	root, move iv     // of shift, at W bits
	bits       uint
}

// An atom is an outcome of a finite pair.
type atom struct{ p, q value }

// A value is a number that is computed when the precision is known. Its name tells it from others.
type value struct {
	name string
	at   func() iv
}

func constant(r *big.Rat) value {
	return value{r.RatString(), func() iv { return rational(r) }}
}

func (v value) times(r *big.Rat) value {
	return value{r.RatString() + "·" + v.name, func() iv { return rational(r).mul(v.at()) }}
}

func (v value) plus(w value) value {
	return value{v.name + "+" + w.name, func() iv { return v.at().add(w.at()) }}
}

type mass struct{ p, q iv }

// in is a mass in a direction.
func (m mass) in(add bool) mass {
	if add {
		return mass{m.q, m.p}
	}
	return m
}

// finitePair has the masses p and q.
func finitePair(p, q []*big.Rat) *factor {
	f := &factor{kind: "finite"}
	for i := range p {
		f.atoms = append(f.atoms, atom{constant(p[i]), constant(q[i])})
	}
	return f
}

// logistic is 1/(1 + e^x).
func logistic(x *big.Rat) value {
	return value{"logistic " + x.RatString(), func() iv { return integer(1).add(rational(x).exp()).inv() }}
}

// key tells factors apart.
func (f *factor) key() string {
	s := fmt.Sprint(f.kind, f.shift, f.rate, f.bounded, f.clamp)
	for _, a := range f.atoms {
		s += " " + a.p.name + ":" + a.q.name
	}
	return s
}

// selfDual reports that (Q, P) is (P, Q) with its outcomes renamed.
func (f *factor) selfDual() bool {
	left := make(map[string]int)
	for _, a := range f.atoms {
		left[a.p.name+":"+a.q.name]++
		left[a.q.name+":"+a.p.name]--
	}
	for _, n := range left {
		if n != 0 {
			return false
		}
	}
	return f.rate == nil && f.clamp == nil
}

// outcomes are the masses of the atoms of a finite pair.
func (f *factor) outcomes(add bool) []mass {
	f.known()
	out := slices.Clone(f.table)
	for i, m := range out {
		out[i] = m.in(add)
	}
	return out
}

// profile encloses H(α) in a direction.
func (f *factor) profile(add bool, alpha iv) iv {
	one := integer(1)
	f.known()
	switch {
	case f.kind == "finite":
		sum := integer(0)
		for _, m := range f.outcomes(add) {
			sum = sum.add(m.p.sub(alpha.mul(m.q)).max(integer(0)))
		}
		return sum
	case add && !f.selfDual(): // (q − αp)₊ = q − αp + α(p − q/α)₊
		return one.sub(alpha).add(alpha.mul(f.profile(false, alpha.inv())))
	}
	if f.rate == nil {
		return f.base(alpha)
	}
	// (1−γ)q + γp − αq = γ(p − α'q), α' = (α − (1−γ))/γ. For α' ≤ 0 that is never negative and
	// H(α) = 1 − α ≥ γ, and 1 − α is a lower bound everywhere; for α' > 0, H is at most γ. Rounding
	// may leave open which it is.
	rate := rational(f.rate)
	inner := alpha.sub(one.sub(rate)).div(rate)
	if inner.lo.Sign() <= 0 {
		h := one.sub(alpha)
		return iv{h.lo, larger(h.hi, rate.hi)}
	}
	return rate.mul(f.base(inner)).max(one.sub(alpha))
}

// base is the profile of the pair that is sampled.
func (f *factor) base(alpha iv) iv {
	if f.kind == "laplace" {
		// The likelihood ratio is between e^−s and e^s, and H = 1 − √(α·e^−s) there, 1 − α
		// below and 0 above: the greatest of the three everywhere.
		root := alpha.mul(f.move.neg().exp()).sqrt()
		h := integer(1).sub(root).max(integer(1).sub(alpha)).max(integer(0))
		if f.clamp != nil {
			// Below the clamp, Q has an atom of mass A at s, where P has none, instead of its
			// density: not in the best set, or below it, so that A·min(α, e^s) comes to H.
			atom := rational(f.clamp).neg().exp().over(2)
			h = h.add(atom.mul(alpha.neg().max(f.move.exp().neg()).neg()))
		}
		return h
	}
	if f.kind == "logistic" {
		// With E = e^s, the ratio is from 1/E to E, and H = (√E − √α)²/(E − 1) there: the greatest
		// of aE/(1 + a(E−1)) − αa over tails a of Q. Below, H = 1 − α, which that is not less than.
		if e := f.move.exp(); alpha.hi.Cmp(e.inv().lo) > 0 {
			root := e.sqrt().sub(alpha.sqrt()).max(integer(0))
			return root.mul(root).div(e.sub(integer(1)))
		}
		return integer(1).sub(alpha)
	}
	// The likelihood ratio r(t) = e^(μt − μ²/2) rises. Every t gives H(α) ≥ P(X > t) − αQ(X > t), and
	// with r(t*) = α what is missing is ∫ |α − r| dQ between t and t*, at most |α − r(t)|·|t* − t|/2, as
	// the density of Q is below 1/2. And |t* − t| = |log α − log r(t)|/μ ≤ |α − r(t)|/(μ·min(α, r(t))).
	// So t need not be t*: it is computed in float64, with Newton's steps for log r(t) = log α.
	mu, square := f.root, f.move
	size, _ := f.shift.Float64()
	t := dyadic((logarithm(alpha) + size/2) / math.Sqrt(size))
	ratio := func() iv { return mu.mul(t).sub(square.over(2)).exp() }
	for known := uint(100); known < W/2; known *= 2 { // bits of what is missing
		t = middle(t.add(alpha.div(ratio()).sub(integer(1)).div(mu)))
	}
	r := ratio()
	p, q := f.normal(t, mu, r)
	h := p.sub(alpha.mul(q))
	gap := alpha.sub(r)
	least := alpha.neg().max(r.neg()).neg() // min(α, r)
	miss := gap.mul(gap).div(mu.mul(least)).hi
	return iv{h.lo, new(big.Int).Add(h.hi, miss)}.max(integer(1).sub(alpha)).max(integer(0))
}

// known computes what is needed at W bits.
func (f *factor) known() {
	if f.bits == W {
		return
	}
	f.table, f.bits = nil, W
	for _, a := range f.atoms {
		f.table = append(f.table, mass{a.p.at(), a.q.at()})
	}
	if f.kind != "finite" {
		f.move, f.root = rational(f.shift), rational(f.shift).sqrt()
	}
}

// middle is a point of an enclosure.
func middle(x iv) iv {
	m := new(big.Int).Add(x.lo, x.hi)
	m.Rsh(m, 1)
	return iv{m, m}
}

// tails are P(X > t) and Q(X > t) in the direction remove, t being a number of the certificate.
func (f *factor) tails(t iv) mass {
	var p, q iv
	f.known()
	if f.kind == "gaussian" {
		p, q = f.normal(t, f.root, f.root.mul(t).sub(f.move.over(2)).exp())
	} else {
		p, q = aboveLaplace(t.sub(f.move)), aboveLaplace(t)
	}
	if f.rate != nil {
		rate := rational(f.rate)
		p = rate.mul(p).add(integer(1).sub(rate).mul(q))
	}
	return mass{p, q}
}

// normal are P(X > t) and Q(X > t) for a Gaussian, whose likelihood ratio at t is r: φ(t − μ) = φ(t)·r.
func (f *factor) normal(t, mu, r iv) (p, q iv) {
	phi := density(t)
	return above(t.sub(mu), phi.mul(r)), above(t, phi)
}

// aboveLaplace is P(X > t) for the density e^(−|x|)/2.
func aboveLaplace(t iv) iv {
	switch {
	case t.lo.Sign() >= 0:
		return t.neg().exp().over(2)
	case t.hi.Sign() > 0:
		return integer(1).over(2).widen(t.abs())
	}
	return integer(1).sub(t.exp().over(2))
}
