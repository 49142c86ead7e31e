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
	kind   string        // gaussian: some N(μ, 1), and N(0, 1). laplace: Lap(s, 1) and Lap(0, 1); logistic likewise. finite: masses
	masses func() []mass // of the outcomes, at W bits
	words  string        // of a finite pair in the theory of proofs/theory; empty if it has none
	shift  *big.Rat      // s
	clamp  *big.Rat      // the noise is clamped at so much below its median before it is shifted; nil if it is not
	rate   *big.Rat      // of a Poisson sample; if there is a shift, the pair is ((1−γ)Q + γP, Q). nil if it is none

	weights, squares []*big.Rat // of a Gaussian, above 0: P is N(μ, 1) with the weight, for each μ², and N(0, 1) with the rest

	eps, inf  *big.Rat // a bound of the finite losses, and the P-mass of infinite loss, where they are known exactly
	symmetric bool     // (Q, P) is (P, Q) with its outcomes renamed
	mirrored  bool     // of a Gaussian: Q is P with its sign changed, in place of N(0, 1)
	response  bool     // a guarantee or randomized response, which may reveal whether a record is there
	bounded   bool     // the pair bounds the mechanism from above only
	guarantee bool     // a guarantee (eps, inf), as an event
	endless   bool     // the last mass of a finite pair stands for all outcomes beyond, and is at most what it is

	table []mass // the masses, at W bits
	rest  iv     // the weight of N(0, 1), if it is Gaussian, and the other bumps
	bumps []bump
}

// A bump is N(mean, 1) with a weight.
type bump struct{ weight, mean iv }

type mass struct{ p, q iv }

// in is a mass in a direction.
func (m mass) in(add bool) mass {
	if add {
		return mass{m.q, m.p}
	}
	return m
}

// prepare computes what is kept at W bits.
func (f *factor) prepare() {
	f.rest, f.bumps = integer(1), nil
	if f.kind == "finite" {
		f.table = f.masses()
	}
	for i, w := range f.weights {
		f.rest, f.bumps = f.rest.sub(rational(w)), append(f.bumps, bump{rational(w), rational(f.squares[i]).sqrt()})
	}
}

// outcomes are the masses of a finite pair.
func (f *factor) outcomes(add bool) (out []mass) {
	for _, m := range f.table {
		out = append(out, m.in(add))
	}
	return out
}

// excess is Σ (p − αq)₊.
func excess(outcomes []mass, alpha iv) iv {
	sum := integer(0)
	for _, m := range outcomes {
		sum = sum.add(m.p.sub(alpha.mul(m.q)).max(integer(0)))
	}
	return sum
}

// profile encloses H(α) in a direction.
func (f *factor) profile(add bool, alpha iv) iv {
	one := integer(1)
	switch {
	case f.kind == "finite":
		return excess(f.outcomes(add), alpha)
	case add && !f.symmetric, f.mirrored && alpha.hi.Cmp(one.lo) < 0: // (q − αp)₊ = q − αp + α(p − q/α)₊
		return one.sub(alpha).add(alpha.mul(f.profile(false, alpha.inv())))
	case f.mirrored:
		return f.mirror(alpha)
	case f.kind == "gaussian":
		return f.gaussian(alpha)
	case f.rate == nil:
		return f.base(alpha)
	}
	// (1−γ)q + γp − αq = γ(p − α'q), α' = (α − (1−γ))/γ. For α' ≤ 0 that is never negative and
	// H(α) = 1 − α ≥ γ, and 1 − α is a lower bound everywhere; for α' > 0, H is at most γ. Rounding
	// may leave open which it is.
	rate := rational(f.rate)
	inner := alpha.sub(one.sub(rate)).div(rate)
	if inner.lo.Sign() <= 0 {
		return iv{one.sub(alpha).lo, one.sub(alpha).max(rate).hi}
	}
	return rate.mul(f.base(inner)).max(one.sub(alpha))
}

// base is the profile of the pair of Laplace or logistic noise that is sampled.
func (f *factor) base(alpha iv) iv {
	one, s := integer(1), rational(f.shift)
	if f.kind == "laplace" {
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
	}
	// Logistic: with E = e^s, the ratio is from 1/E to E, and H = (√E − √α)²/(E − 1) there: the greatest
	// of aE/(1 + a(E−1)) − αa over tails a of Q. Below, H = 1 − α, and above 0.
	e := s.exp()
	root := e.sqrt().sub(alpha.max(e.inv()).sqrt()).max(integer(0))
	return root.mul(root).div(e.sub(one)).add(e.inv().sub(alpha).max(integer(0)))
}

// gaussian is the profile of the pair of rest·N(0, 1) + Σ w·N(μ, 1) and N(0, 1), of a Gaussian, its sample or a
// mixture, with all μ > 0. The likelihood ratio is rest + r(t), where r(t) = Σ w·e^(μt − μ²/2) rises. For α ≤ rest,
// H(α) = 1 − α, which is a lower bound everywhere; above, H is at most 1 − rest. Rounding may leave open which it is.
//
// Every t gives H(α) ≥ P(X > t) − αQ(X > t), and with r(t*) = α − rest = x what is missing is ∫ |x − r| dQ between t
// and t*, at most
// |x − r(t)|·|t* − t|/2, as the density of Q is below 1/2. The slope of log r is at least the least μ, so
// |t* − t| ≤ |log x − log r(t)|/μ ≤ |x − r(t)|/(μ·min(x, r(t))). So t need not be t*.
func (f *factor) gaussian(alpha iv) iv {
	one := integer(1)
	least, x := one.sub(alpha), alpha.sub(f.rest)
	if x.lo.Sign() <= 0 {
		return iv{least.lo, least.max(one.sub(f.rest)).hi}
	}
	// Newton's steps begin where the first term is x: r is above x there and on, and convex.
	guess, want, mu := math.Inf(1), logarithm(x), f.bumps[0].mean
	for _, b := range f.bumps {
		m := math.Exp(logarithm(b.mean))
		guess = min(guess, (want-logarithm(b.weight))/m+m/2)
		mu = mu.min(b.mean)
	}
	t := dyadic(guess)
	for steps := 0; ; steps++ {
		m, r, slope := f.normal(t)
		gap := x.sub(r)
		miss := gap.mul(gap).div(mu.mul(x.min(r))).hi
		if miss.BitLen() <= int(W/2) || steps == 40 {
			h := m.p.sub(alpha.mul(m.q))
			return iv{h.lo, miss.Add(miss, h.hi)}.max(least).max(integer(0))
		}
		t = t.add(gap.div(slope)).point()
	}
}

// mirror is the profile of a mirrored pair. Its likelihood ratio (rest + w·u/e)/(rest + w/(u·e)), with u = e^(μt) and
// e = e^(μ²/2), rises with t and is α for the root u = k + √(k² + α) of u² − 2ku − α = 0, k = rest·(α − 1)·e/2w. There
// P(X > t) − αQ(X > t) is rest·(1 − α)·S(t) + w·(S(t − μ) − α·S(t + μ)), S being the tail of N(0, 1).
func (f *factor) mirror(alpha iv) iv {
	b, less := f.bumps[0], f.rest.mul(integer(1).sub(alpha))
	k := less.neg().mul(b.mean.mul(b.mean).over(2).exp()).over(2).div(b.weight)
	t := k.add(k.mul(k).add(alpha).sqrt()).log().div(b.mean)
	tail := func(t iv) iv { return above(t, density(t)) }
	jump := tail(t.sub(b.mean)).sub(alpha.mul(tail(t.add(b.mean))))
	return less.mul(tail(t)).add(b.weight.mul(jump)).max(integer(0))
}

// normal has P(X > t) and Q(X > t), r(t), and its slope: φ(t − μ) = φ(t)·e^(μt − μ²/2).
func (f *factor) normal(t iv) (m mass, r, slope iv) {
	phi := density(t)
	q := above(t, phi)
	p, r, slope := f.rest.mul(q), integer(0), integer(0)
	for _, b := range f.bumps {
		e := b.mean.mul(t.sub(b.mean.over(2))).exp()
		p = p.add(b.weight.mul(above(t.sub(b.mean), phi.mul(e))))
		x := b.weight.mul(e)
		r, slope = r.add(x), slope.add(x.mul(b.mean))
	}
	return mass{p, q}, r, slope
}

// tails are P(X > t) and Q(X > t) in the direction remove, t being a number of the certificate.
func (f *factor) tails(t iv) (m mass) {
	if f.kind == "gaussian" {
		m, _, _ = f.normal(t)
		if f.mirrored { // Q(X > t) = P(X < −t)
			back, _, _ := f.normal(t.neg())
			m.q = integer(1).sub(back.p)
		}
		return m
	}
	m = mass{aboveLaplace(t.sub(rational(f.shift))), aboveLaplace(t)}
	if f.rate != nil {
		m.p = rational(f.rate).mul(m.p).add(rational(oneLess(f.rate)).mul(m.q))
	}
	return m
}

// aboveLaplace is P(X > t) for the density e^(−|x|)/2: e^(−t)/2 for t ≥ 0 and 1 − e^t/2 for t ≤ 0.
func aboveLaplace(t iv) iv {
	zero := integer(0)
	return t.neg().min(zero).exp().add(integer(1)).sub(t.min(zero).exp()).over(2)
}
