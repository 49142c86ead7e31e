// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"math/big"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/pair"
)

// A release is a kind of factor: discrete Gaussian noise against the same shifted.
type release struct {
	rho   *big.Rat // ρ_i = 1/σ_i²
	shift int64    // s_i
	count int64    // m_i
	step  *big.Int // n_i
	rough float64  // about ρ_i
	// weight, which New sets, says that −log φ_i(2πτ)^(m_i) ≥ weight·τ² for |τ| ≤ 1/2: see sieve.
	weight float64
}

// A law is the law of the sum of all losses of a product, which is on the lattice (ℤ + c)/M.
type law struct {
	releases []release
	steps    []steps  // the factors with finitely many losses
	rho      *big.Rat // ρ
	moments  *big.Rat // ρ′: E_P e^(λL) ≤ e^(λ(λ+1)ρ′) for λ ≥ 0
	least    *big.Rat // Λ, the sum of the least losses of steps
	fine     *big.Rat // M
	origin   *big.Rat // c
	turns    *big.Int // 2ρM
	mean     float64  // about E_P L
	finite   *big.Rat // the probability that no other factor names the data
}

// newLaw returns the law of a product of discrete Gaussians, beside outputs that name the data with some probability
// and say nothing otherwise, and pairs with finitely many rational losses. It reports false for other products and for
// such as an inversion would not serve: where tilts by integers would cost too much precision.
func newLaw(prod pair.Product) (*law, bool) {
	if !slices.ContainsFunc(prod, func(t pair.Term) bool { _, ok := t.Pair.(pair.DiscreteGaussian); return ok }) {
		return nil, false
	}
	x := &law{rho: new(big.Rat), moments: new(big.Rat), least: new(big.Rat), turns: new(big.Int), finite: big.NewRat(1, 1)}
	for _, t := range prod {
		if r, ok := t.Pair.(pair.Response); ok {
			if r.Delta.Sign() > 0 {
				if t.Count > maxNaming {
					return nil, false
				}
				for range t.Count {
					x.finite.Mul(x.finite, new(big.Rat).Sub(big.NewRat(1, 1), r.Delta))
				}
			}
			if r.Eps.Sign() == 0 {
				continue
			}
			t.Pair = pair.Response{Eps: r.Eps, Delta: new(big.Rat)}
		}
		d, ok := t.Pair.(pair.DiscreteGaussian)
		if !ok {
			f, ok := newSteps(t)
			if !ok {
				return nil, false
			}
			x.steps = append(x.steps, f)
			continue
		}
		r := release{rho: new(big.Rat).Inv(d.Sigma2), shift: d.Sensitivity, count: t.Count}
		r.rough = double.Near(r.rho)
		x.releases = append(x.releases, r)
		each := new(big.Rat).Mul(r.rho, big.NewRat(r.shift, 2))
		x.rho.Add(x.rho, each.Mul(each, new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(r.shift), big.NewInt(r.count)))))
	}
	x.moments.Set(x.rho)
	x.mean = double.Near(x.rho)
	denominators, divisor := big.NewInt(1), new(big.Int)
	common := func(r *big.Rat) {
		gcd := new(big.Int).GCD(nil, nil, denominators, r.Denom())
		denominators.Mul(denominators, new(big.Int).Quo(r.Denom(), gcd))
	}
	for _, f := range x.steps {
		x.moments.Add(x.moments, f.moments())
		x.least.Add(x.least, new(big.Rat).Mul(f.losses[0], big.NewRat(f.count, 1)))
		x.mean += float64(f.count) * f.rough.mean
		for _, l := range f.losses {
			common(new(big.Rat).Sub(l, f.losses[0]))
		}
	}
	if len(x.steps) > maxSteps || !(x.mean > 0) || !(double.Near(x.moments) < maxMean) {
		return nil, false
	}
	for _, r := range x.releases {
		common(new(big.Rat).Mul(r.rho, big.NewRat(r.shift, 1)))
	}
	for i := range x.releases {
		r := &x.releases[i]
		slope := new(big.Rat).Mul(r.rho, big.NewRat(r.shift, 1))
		r.step = new(big.Int).Mul(slope.Num(), new(big.Int).Quo(denominators, slope.Denom()))
		divisor.GCD(nil, nil, divisor, r.step)
	}
	for i := range x.steps {
		f := &x.steps[i]
		for _, l := range f.losses {
			n := new(big.Rat).Sub(l, f.losses[0])
			n.Mul(n, new(big.Rat).SetInt(denominators))
			f.to = append(f.to, new(big.Int).Set(n.Num()))
			divisor.GCD(nil, nil, divisor, n.Num())
		}
	}
	for _, f := range x.steps {
		for _, n := range f.to {
			n.Quo(n, divisor)
		}
	}
	for i := range x.releases {
		r := &x.releases[i]
		r.step.Quo(r.step, divisor)
		turns := new(big.Int).Mul(r.step, big.NewInt(r.shift))
		x.turns.Add(x.turns, turns.Mul(turns, big.NewInt(r.count)))
	}
	x.fine = new(big.Rat).SetFrac(denominators, divisor)
	x.origin = new(big.Rat).Add(x.rho, x.least)
	x.origin.Mul(x.origin, x.fine)
	return x, true
}

// maxNaming bounds the outputs that may name the data.
const maxNaming = 64

// maxMean bounds ρ. An integer a is up to 1/2 from the best tilt, which costs ρ/4 nats of precision.
const maxMean = 4000

// first returns k₁ for ε: the least integer k with (k + c)/M ≥ ε.
func (x *law) first(eps *big.Rat) *big.Int {
	k := new(big.Rat).Mul(eps, x.fine)
	k.Sub(k, x.origin)
	n := new(big.Int)
	n.Div(n.Neg(k.Num()), k.Denom()) // ⌊−k⌋
	return n.Neg(n)
}

// level is l₁ = (k + c)/M.
func (x *law) level(k *big.Int) *big.Rat {
	l := new(big.Rat).Add(new(big.Rat).SetInt(k), x.origin)
	return l.Quo(l, x.fine)
}
