// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// exponentialMeaning: the exponential mechanism is dominated by logistic noise, each ε attained
// by some choice between two candidates (see Logistic), sampled or not. Some of these
// choices, the same in every round, are witnesses of a composition.
func exponentialMeaning(e mechanism.ExponentialMechanism) meaning {
	if e.Epsilon.Sign() == 0 {
		return neutral()
	}
	var some []pair.Product
	for _, share := range []*big.Rat{big.NewRat(1, 2), big.NewRat(5, 8), big.NewRat(3, 4), big.NewRat(7, 8),
		big.NewRat(31, 32)} {
		up := new(big.Rat).Mul(e.Epsilon, share)
		some = append(some, pair.Copies(pair.TwoPoint{Up: up, Down: new(big.Rat).Sub(e.Epsilon, up)}, 1))
	}
	return attainedPointwise(pair.Copies(pair.Logistic{Shift: e.Epsilon}, 1), some...)
}

// permuteAndFlipMeaning: permute-and-flip is dominated by Laplace noise.
//
// Claim. Let G be the tail of Lap(1/r), r = ε/2. Every set S of candidates has P(S) ≤ G(G⁻¹(Q(S)) − 2), which is the
// greatest power of a test of Lap(1/r) shifted by 2, in units of 1/r shifted by ε.
//
// Proof. Permute-and-flip is report noisy max with exponential noise of rate r [Ding, Kifer, Sayed M. Saghaian N. E. &
// Steinke 2021]. Let S be neither empty nor all candidates.
// Let A and B be the greatest noisy scores inside and outside of S, and F(c) = P(B − A > c), so that P(S) = 1 − F(0).
// Neighbours move every score by at most 1. So Q(S) is between 1 − F(−2) and 1 − F(2).
// A maximum of independent shifted exponentials has a hazard rate of at most r: with g_i = P(X_i > x), its density is
// at most r·Σ g_i·Π_{j≠i}(1 − g_j), which is r times the probability that exactly one exceeds x. So −F′ ≤ r·F, by A
// given, and −F′ ≤ r·(1 − F), by B given. The tail G has −G′ = r·min(G, 1 − G). So G⁻¹∘F has a slope in [0, 1], and
// F(c) moves by no more than G does.
//
// Attained, at each ε, by some choice between two candidates, sampled or not: B − A is then a shifted Lap(1/r) itself.
func permuteAndFlipMeaning(e mechanism.PermuteAndFlip) meaning {
	if e.Epsilon.Sign() == 0 {
		return neutral()
	}
	var some []pair.Product
	for _, share := range []*big.Rat{big.NewRat(1, 2), big.NewRat(3, 4), big.NewRat(1, 1)} {
		some = append(some, pair.Copies(pair.LaplaceAbove{Shift: e.Epsilon,
			Threshold: new(big.Rat).Mul(e.Epsilon, share)}, 1))
	}
	return attainedPointwise(pair.Copies(pair.Laplace{Shift: e.Epsilon}, 1), some...)
}

// discreteGaussianMeaning: a vector of integers differs by one of the shifts, any of them.
// Where they are too many, R_α ≤ ρα with ρ = |s|²/2σ² [Canonne, Kamath & Steinke 2020, Theorem 4,
// Corollary 16] is all that is used from above.
func discreteGaussianMeaning(e mechanism.DiscreteGaussian) meaning {
	norm2 := new(big.Rat).Mul(e.Sensitivity, e.Sensitivity)
	n := new(big.Int).Quo(norm2.Num(), norm2.Denom())
	if n.Sign() == 0 {
		return neutral()
	}
	sigma2 := e.Sigma2()
	of, all := vectorShifts(sigma2, n, e.Dimension)
	if all {
		return exactly(of...)
	}
	rho := new(big.Rat).SetInt(n)
	rho.Quo(rho, new(big.Rat).Add(sigma2, sigma2))
	guarantee := pair.ZCDP{Rho: rho, Xi: new(big.Rat)}
	if e.Dimension == 0 || big.NewInt(e.Dimension).Cmp(n) >= 0 {
		guarantee.Noise = sigma2
	}
	return between(pair.Copies(guarantee, 1), of...)
}

// Moments returns factors which bound the Rényi divergences of the event from above like
// these, and not by more: what a logistic pair dominates has bounded range.
func (f Factors) Moments() Factors {
	out := Factors{Fixed: f.Fixed.Moments()}
	for _, c := range f.Choices {
		of := make([]pair.Product, len(c.Of))
		for i, p := range c.Of {
			of[i] = p.Moments()
		}
		out.Choices = append(out.Choices, Choice{of, c.Count, c.Mixing, c.Records})
	}
	return out
}
