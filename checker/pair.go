// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "math"
import "math/big"

// A factor is a pair of distributions (P, Q), composed count times. H(α) = ∫ (p − αq)₊ is its profile: δ(ε) = H(e^ε).
type factor struct {
	pair
	name  string // of the event, which tells factors apart
	count int64

	eps, inf  *big.Rat // a bound of the finite losses, and the P-mass of infinite loss, where they are known exactly
	symmetric bool     // (Q, P) is (P, Q) with its outcomes renamed
	only      string   // the verdict that the pair may decide, which bounds the mechanism from one side; empty: both
	promise   *big.Rat // ρ of zCDP: any pair that keeps it
	guarantee bool     // a guarantee (eps, inf), as an event
	words     string   // in the theory of proofs/theory, of what a pair has no words for
}

// A pair encloses H(α) in the direction remove. There is a type for each kind.
type pair interface{ profile(alpha iv) iv }

// A divisible pair has P(X > t) and Q(X > t) in the direction remove, t being a number of the certificate.
type divisible interface{ tails(t iv) mass }

// A direction is remove, or add, which has P and Q exchanged.
type direction string

const remove, add direction = "remove", "add"

type mass struct{ p, q iv }

// in is a mass in a direction.
func (m mass) in(d direction) mass { return map[direction]mass{remove: m, add: {m.q, m.p}}[d] }

// profile encloses H(α) in a direction.
func (f *factor) profile(d direction, alpha iv) iv {
	if d == add && !f.symmetric {
		return exchanged(f.pair, alpha)
	}
	return f.pair.profile(alpha)
}

// exchanged is the profile of (Q, P) by that of (P, Q): (q − αp)₊ = q − αp + α(p − q/α)₊.
func exchanged(p pair, alpha iv) iv {
	return integer(1).sub(alpha).add(alpha.mul(p.profile(alpha.inv())))
}

// A finite pair has masses. A guarantee and randomized response may reveal whether a record is there. In place of all
// outcomes from one on, there may be a last one whose masses are at most what they are.
type finite struct {
	masses                      func() []mass // of the outcomes, at W bits
	words                       string        // in the theory of proofs/theory; empty if it has none
	reveals, endless, isSampled bool
	table                       []mass // the masses, at bits
	bits                        uint
}

// outcomes are the masses in a direction.
func (f *finite) outcomes(d direction) (out []mass) {
	if f.bits != W {
		f.table, f.bits = f.masses(), W
	}
	for _, m := range f.table {
		out = append(out, m.in(d))
	}
	return out
}

func (f *finite) profile(alpha iv) iv { return excess(f.outcomes(remove), alpha) }

// excess is Σ (p − αq)₊.
func excess(outcomes []mass, alpha iv) iv {
	sum := integer(0)
	for _, m := range outcomes {
		sum = sum.add(m.p.sub(alpha.mul(m.q)).max(integer(0)))
	}
	return sum
}

// A laplace pair has Q = Lap(0, 1) and P = (1−γ)Q + γLap(s, 1), where s is the shift and γ the rate of a sample, or 1.
// Logistic noise has γ = 1. Clamped noise is clamped at so much below its median before it is shifted.
type laplace struct{ shift, rate *big.Rat }
type logistic struct{ shift *big.Rat }
type clamped struct{ shift, clamp *big.Rat }

func (l laplace) profile(alpha iv) iv {
	// (1−γ)q + γp − αq = γ(p − α'q), α' = (α − (1−γ))/γ. For α' ≤ 0 that is never negative and
	// H(α) = 1 − α ≥ γ, and 1 − α is a lower bound everywhere; for α' > 0, H is at most γ. Rounding
	// may leave open which it is.
	one, rate := integer(1), rational(l.rate)
	inner := alpha.sub(one.sub(rate)).div(rate)
	if inner.lo.Sign() <= 0 {
		return iv{one.sub(alpha).lo, one.sub(alpha).max(rate).hi}
	}
	// The likelihood ratio of what is sampled is between e^−s and e^s, and H = 1 − √(α'·e^−s) there, 1 − α'
	// below and 0 above: the greatest of the three everywhere.
	root := inner.mul(rational(l.shift).neg().exp()).sqrt()
	return rate.mul(one.sub(root).max(one.sub(inner)).max(integer(0))).max(one.sub(alpha))
}

func (c clamped) profile(alpha iv) iv {
	// Below the clamp, Q has an atom of mass A at s, where P has none, instead of its
	// density: not in the best set, or below it, so that A·min(α, e^s) comes to H.
	atom := rational(c.clamp).neg().exp().over(2)
	return laplace{c.shift, big.NewRat(1, 1)}.profile(alpha).add(atom.mul(alpha.min(rational(c.shift).exp())))
}

func (l logistic) profile(alpha iv) iv {
	// With E = e^s, the ratio is from 1/E to E, and H = (√E − √α)²/(E − 1) there: the greatest
	// of aE/(1 + a(E−1)) − αa over tails a of Q. Below, H = 1 − α, and above 0.
	e, one := rational(l.shift).exp(), integer(1)
	root := e.sqrt().sub(alpha.max(e.inv()).sqrt()).max(integer(0))
	return root.mul(root).div(e.sub(one)).add(e.inv().sub(alpha).max(integer(0)))
}

func (l laplace) tails(t iv) mass {
	p, q := aboveLaplace(t.sub(rational(l.shift))), aboveLaplace(t)
	return mass{rational(l.rate).mul(p).add(rational(oneLess(l.rate)).mul(q)), q}
}

// aboveLaplace is P(X > t) for the density e^(−|x|)/2: e^(−t)/2 for t ≥ 0 and 1 − e^t/2 for t ≤ 0.
func aboveLaplace(t iv) iv {
	zero := integer(0)
	return t.neg().min(zero).exp().add(integer(1)).sub(t.min(zero).exp()).over(2)
}

// A gaussian has P = N(μ, 1) with a weight above 0, for each μ², and N(0, 1) with the rest, and Q = N(0, 1). Samples of
// it have smaller weights. Of a mirrored one, Q is P with its sign changed.
type gaussian struct{ weights, squares []*big.Rat }
type mirrored struct{ gaussian }

// sample has the weights times a rate: also of a sample, as both coins have to fall right.
func (g gaussian) sample(rate *big.Rat) gaussian {
	var weights []*big.Rat
	for _, w := range g.weights {
		weights = append(weights, new(big.Rat).Mul(w, rate))
	}
	return gaussian{weights, g.squares}
}

// A truncated pair shows whether others fill the batch, with the probability full. Then it is the sample of a Gaussian
// at twice the distance, and else of one with μ² = square.
type truncated struct{ rate, square, full *big.Rat }

func (t truncated) profile(alpha iv) iv {
	near := gaussian{[]*big.Rat{t.rate}, []*big.Rat{t.square}}
	far := gaussian{near.weights, []*big.Rat{new(big.Rat).Mul(t.square, big.NewRat(4, 1))}}
	h := near.profile(alpha)
	return h.add(rational(t.full).mul(far.profile(alpha).sub(h)))
}

// A bump is N(mean, 1) with a weight.
type bump struct{ weight, mean iv }

// bumps are those of P, and the weight of N(0, 1).
func (g gaussian) bumps() (out []bump, rest iv) {
	rest = integer(1)
	for i, w := range g.weights {
		rest, out = rest.sub(rational(w)), append(out, bump{rational(w), rational(g.squares[i]).sqrt()})
	}
	return out, rest
}

// profile is that of the pair of rest·N(0, 1) + Σ w·N(μ, 1) and N(0, 1), of a Gaussian, its sample or a
// mixture, with all μ > 0. The likelihood ratio is rest + r(t), where r(t) = Σ w·e^(μt − μ²/2) rises. For α ≤ rest,
// H(α) = 1 − α, which is a lower bound everywhere; above, H is at most 1 − rest. Rounding may leave open which it is.
//
// Every t gives H(α) ≥ P(X > t) − αQ(X > t), and with r(t*) = α − rest = x what is missing is ∫ |x − r| dQ between t
// and t*, at most
// |x − r(t)|·|t* − t|/2, as the density of Q is below 1/2. The slope of log r is at least the least μ, so
// |t* − t| ≤ |log x − log r(t)|/μ ≤ |x − r(t)|/(μ·min(x, r(t))). So t need not be t*.
func (g gaussian) profile(alpha iv) iv {
	one := integer(1)
	bumps, rest := g.bumps()
	least, x := one.sub(alpha), alpha.sub(rest)
	if x.lo.Sign() <= 0 {
		return iv{least.lo, least.max(one.sub(rest)).hi}
	}
	// Newton's steps begin where the first term is x: r is above x there and on, and convex.
	guess, want, mu := math.Inf(1), logarithm(x), bumps[0].mean
	for _, b := range bumps {
		m := math.Exp(logarithm(b.mean))
		guess = min(guess, (want-logarithm(b.weight))/m+m/2)
		mu = mu.min(b.mean)
	}
	t := dyadic(guess)
	for steps := 0; ; steps++ {
		m, r, slope := g.normal(t)
		gap := x.sub(r)
		miss := gap.mul(gap).div(mu.mul(x.min(r))).hi
		if miss.BitLen() <= int(W/2) || steps == 40 {
			h := m.p.sub(alpha.mul(m.q))
			return iv{h.lo, miss.Add(miss, h.hi)}.max(least).max(integer(0))
		}
		t = t.add(gap.div(slope)).point()
	}
}

// profile is that of a mirrored pair. Its likelihood ratio (rest + w·u/e)/(rest + w/(u·e)), with u = e^(μt) and
// e = e^(μ²/2), rises with t and is α for the root u = k + √(k² + α) of u² − 2ku − α = 0, k = rest·(α − 1)·e/2w. There
// P(X > t) − αQ(X > t) is rest·(1 − α)·S(t) + w·(S(t − μ) − α·S(t + μ)), S being the tail of N(0, 1).
func (g mirrored) profile(alpha iv) iv {
	if alpha.hi.Cmp(unit) < 0 {
		return exchanged(g, alpha)
	}
	bumps, rest := g.bumps()
	b, less := bumps[0], rest.mul(integer(1).sub(alpha))
	k := less.neg().mul(b.mean.mul(b.mean).over(2).exp()).over(2).div(b.weight)
	t := k.add(k.mul(k).add(alpha).sqrt()).log().div(b.mean)
	tail := func(t iv) iv { return above(t, density(t)) }
	return less.mul(tail(t)).add(b.weight.mul(tail(t.sub(b.mean)).sub(alpha.mul(tail(t.add(b.mean)))))).max(integer(0))
}

// normal has P(X > t) and Q(X > t), r(t), and its slope: φ(t − μ) = φ(t)·e^(μt − μ²/2).
func (g gaussian) normal(t iv) (m mass, r, slope iv) {
	bumps, rest := g.bumps()
	phi := density(t)
	q := above(t, phi)
	p, r, slope := rest.mul(q), integer(0), integer(0)
	for _, b := range bumps {
		e := b.mean.mul(t.sub(b.mean.over(2))).exp()
		p = p.add(b.weight.mul(above(t.sub(b.mean), phi.mul(e))))
		x := b.weight.mul(e)
		r, slope = r.add(x), slope.add(x.mul(b.mean))
	}
	return mass{p, q}, r, slope
}

func (g gaussian) tails(t iv) mass {
	m, _, _ := g.normal(t)
	return m
}

// tails has Q(X > t) = P(X < −t).
func (g mirrored) tails(t iv) mass {
	return mass{g.gaussian.tails(t).p, integer(1).sub(g.gaussian.tails(t.neg()).p)}
}
