// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/pair/normals"
)

// GaussianMixture is a pair of two mixtures of Gaussians of variance 1 on the line.
type GaussianMixture struct {
	unlisted
	P, Q normals.Mixture
}

func (m GaussianMixture) String() string { return fmt.Sprintf("GaussianMixture(%s, %s)", m.P, m.Q) }

// Reverse: of one that is the mirror image of itself, it is the same.
func (m GaussianMixture) Reverse() Pair {
	if m.SelfDual() {
		return m
	}
	return GaussianMixture{P: m.Q, Q: m.P}
}

// SelfDual: x ↦ −x exchanges P and Q.
func (m GaussianMixture) SelfDual() bool { return m.P.Equal(m.Q.Mirrored()) }

// isReversed: forward, P has more means than Q, or as many, and its text is the greater one.
func (m GaussianMixture) isReversed() bool {
	p, q := len(m.P.Means), len(m.Q.Means)
	return p < q || p == q && !m.SelfDual() && m.P.String() < m.Q.String()
}

func (GaussianMixture) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: far out, on either side, the likelihood ratio is that of the outermost means.
func (m GaussianMixture) reach() reach {
	if m.P.Least().Cmp(m.Q.Least()) < 0 || m.P.Greatest().Cmp(m.Q.Greatest()) > 0 {
		return endless()
	}
	return unknownReach()
}

// NewGaussianMixture returns the pair of two mixtures, or nil if they are equal. Moving and mirroring the line
// changes nothing, so that
//
//   - against a single Gaussian, which is moved to 0, one mean is a Gaussian, and 0 and one other mean are a
//     Poisson-sampled Gaussian;
//   - (1−q)N(0) + qN(μ) against (1−q)N(0) + qN(−μ) is a Poisson-sampled Gaussian of a replaced record;
//   - otherwise 0 is put between the means of P and those of Q, where one is on either side.
func NewGaussianMixture(p, q normals.Mixture) Pair {
	switch {
	case p.Equal(q):
		return nil
	case len(q.Means) == 1:
		p, q = p.Around(q.Least()), normals.Standard()
		if p.Greatest().Sign() <= 0 {
			p = p.Mirrored()
		}
	case len(p.Means) == 1:
		return NewGaussianMixture(q, p).Reverse()
	default:
		p, q = apart(p, q)
	}
	square := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }
	switch mean := p.Greatest(); {
	case len(p.Means) == 1:
		return Gaussian{Mu2: square(mean)}
	case len(p.Means) > 2 || p.Least().Sign() != 0:
	case len(q.Means) == 1:
		return Sampled{Rate: p.Probs[1], Base: Product{{Gaussian{Mu2: square(mean)}, 1}}}
	case p.Equal(q.Mirrored()):
		return SampledReplaceGaussian{Rate: p.Probs[1], Mu2: square(mean)}
	}
	return GaussianMixture{P: p, Q: q}
}

// apart moves 0 into the middle between P on the right and Q on the left, if that is how they are or x ↦ −x makes them;
// otherwise into the middle of all means.
func apart(p, q normals.Mixture) (normals.Mixture, normals.Mixture) {
	if p.Greatest().Cmp(q.Least()) <= 0 {
		p, q = p.Mirrored(), q.Mirrored()
	}
	lo, hi := q.Greatest(), p.Least()
	if lo.Cmp(hi) > 0 {
		all := p.With(big.NewRat(1, 2), q)
		lo, hi = all.Least(), all.Greatest()
	}
	middle := new(big.Rat).Mul(new(big.Rat).Add(lo, hi), big.NewRat(1, 2))
	return p.Around(middle), q.Around(middle)
}

// NewBinomialMixture returns the pair of (Σ_j P(Bin(trials, rate) = j)·N(jμ, 1), N(0, 1)), mu > 0 and 0 < rate < 1.
func NewBinomialMixture(trials int64, rate, mu *big.Rat) Pair {
	var means, probs []*big.Rat
	for j := range trials + 1 {
		prob := new(big.Rat).SetInt(new(big.Int).Binomial(trials, j))
		prob.Mul(prob, ratPow(rate, j))
		probs = append(probs, prob.Mul(prob, ratPow(new(big.Rat).Sub(ratOne, rate), trials-j)))
		means = append(means, new(big.Rat).Mul(mu, new(big.Rat).SetInt64(j)))
	}
	return NewGaussianMixture(normals.New(means, probs), normals.Standard())
}

// Sample returns the pair of ((1−γ)Q + γP, Q), 0 < γ ≤ 1.
func (m GaussianMixture) Sample(rate *big.Rat) Pair {
	return NewGaussianMixture(m.Q.With(rate, m.P), m.Q)
}
