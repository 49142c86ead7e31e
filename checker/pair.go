// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math"
	"math/big"
)

// A factor is a pair of distributions (P, Q), composed count times. H(α) = ∫ (p − αq)₊ is its
// profile: δ(ε) = H(e^ε). The direction add has P and Q exchanged.
type factor struct {
	name   string // of the event, which tells factors apart
	count  int64
	kind   string        // gaussian: N(μ, 1) and N(0, 1). laplace: Lap(s, 1) and Lap(0, 1); logistic likewise. finite: masses
	masses func() []mass // of the outcomes, at W bits
	shift  *big.Rat      // μ², or s
	clamp  *big.Rat      // the noise is clamped at so much below its median before it is shifted; nil if it is not
	rate   *big.Rat      // of a Poisson sample; if it is not finite, the pair is ((1−γ)Q + γP, Q). nil if it is none

	eps, inf  *big.Rat // a bound of the finite losses, and the P-mass of infinite loss, where they are known exactly
	symmetric bool     // (Q, P) is (P, Q) with its outcomes renamed
	response  bool     // a guarantee or randomized response, which may reveal whether a record is there
	bounded   bool     // the pair bounds the mechanism from above only

	table []mass // the masses, or √shift, at so many bits
	root  iv
	bits  uint
}

type mass struct{ p, q iv }

// in is a mass in a direction.
func (m mass) in(add bool) mass {
	if add {
		return mass{m.q, m.p}
	}
	return m
}

// refresh computes what is kept at W bits.
func (f *factor) refresh() {
	switch {
	case f.bits == W:
		return
	case f.kind == "finite":
		f.table = f.masses()
	default:
		f.root = rational(f.shift).sqrt()
	}
	f.bits = W
}

// outcomes are the masses of a finite pair.
func (f *factor) outcomes(add bool) (out []mass) {
	f.refresh()
	for _, m := range f.table {
		out = append(out, m.in(add))
	}
	return out
}

// profile encloses H(α) in a direction.
func (f *factor) profile(add bool, alpha iv) iv {
	one := integer(1)
	switch {
	case f.kind == "finite":
		sum := integer(0)
		for _, m := range f.outcomes(add) {
			sum = sum.add(m.p.sub(alpha.mul(m.q)).max(integer(0)))
		}
		return sum
	case add && !f.symmetric: // (q − αp)₊ = q − αp + α(p − q/α)₊
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
	one, s := integer(1), rational(f.shift)
	switch f.kind {
	case "laplace":
		// The likelihood ratio is between e^−s and e^s, and H = 1 − √(α·e^−s) there, 1 − α
		// below and 0 above: the greatest of the three everywhere.
		root := alpha.mul(s.neg().exp()).sqrt()
		h := one.sub(root).max(one.sub(alpha)).max(integer(0))
		if f.clamp != nil {
			// Below the clamp, Q has an atom of mass A at s, where P has none, instead of its
			// density: not in the best set, or below it, so that A·min(α, e^s) comes to H.
			atom := rational(f.clamp).neg().exp().over(2)
			h = h.add(atom.mul(alpha.min(s.exp())))
		}
		return h
	case "logistic":
		// With E = e^s, the ratio is from 1/E to E, and H = (√E − √α)²/(E − 1) there: the greatest
		// of aE/(1 + a(E−1)) − αa over tails a of Q. Below, H = 1 − α, which that is not less than.
		e := s.exp()
		if alpha.hi.Cmp(e.inv().lo) <= 0 {
			return one.sub(alpha)
		}
		root := e.sqrt().sub(alpha.sqrt()).max(integer(0))
		return root.mul(root).div(e.sub(one))
	}
	// The likelihood ratio r(t) = e^(μt − μ²/2) rises. Every t gives H(α) ≥ P(X > t) − αQ(X > t), and
	// with r(t*) = α what is missing is ∫ |α − r| dQ between t and t*, at most |α − r(t)|·|t* − t|/2, as
	// the density of Q is below 1/2. And |t* − t| = |log α − log r(t)|/μ ≤ |α − r(t)|/(μ·min(α, r(t))).
	// So t need not be t*: it is computed in float64, with Newton's steps for log r(t) = log α.
	f.refresh()
	mu := f.root
	size, _ := f.shift.Float64()
	t := dyadic((logarithm(alpha) + size/2) / math.Sqrt(size))
	ratio := func() iv { return mu.mul(t).sub(s.over(2)).exp() }
	for known := uint(100); known < W/2; known *= 2 { // bits of what is missing
		t = middle(t.add(alpha.div(ratio()).sub(one).div(mu)))
	}
	r := ratio()
	p, q := normal(t, mu, r)
	h := p.sub(alpha.mul(q))
	gap := alpha.sub(r)
	miss := gap.mul(gap).div(mu.mul(alpha.min(r))).hi
	return iv{h.lo, new(big.Int).Add(h.hi, miss)}.max(one.sub(alpha)).max(integer(0))
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
	if s := rational(f.shift); f.kind == "gaussian" {
		f.refresh()
		p, q = normal(t, f.root, f.root.mul(t).sub(s.over(2)).exp())
	} else {
		p, q = aboveLaplace(t.sub(s)), aboveLaplace(t)
	}
	if f.rate != nil {
		rate := rational(f.rate)
		p = rate.mul(p).add(integer(1).sub(rate).mul(q))
	}
	return mass{p, q}
}

// normal are P(X > t) and Q(X > t) for a Gaussian, whose likelihood ratio at t is r: φ(t − μ) = φ(t)·r.
func normal(t, mu, r iv) (p, q iv) {
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
