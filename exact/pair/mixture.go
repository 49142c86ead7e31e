// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"
)

// GaussianMixture is (Σ_i Probs[i]·N(Means[i], 1), N(0, 1)); Reversed swaps the
// two.
type GaussianMixture struct {
	unlisted
	Means, Probs []*big.Rat
	Reversed     bool
}

func (m GaussianMixture) String() string {
	return fmt.Sprintf("GaussianMixture(%s; %s)%s", ratList(m.Means), ratList(m.Probs), reversedMark(m.Reversed))
}

func (m GaussianMixture) Reverse() Pair {
	m.Reversed = !m.Reversed
	return m
}
func (GaussianMixture) SelfDual() bool            { return false }
func (m GaussianMixture) isReversed() bool        { return m.Reversed }
func (GaussianMixture) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (m GaussianMixture) reach() reach {
	// With means on both sides of 0, or a mean 0, g = P/Q is bounded away from 0; else
	// it tends to 0 on one side, and log Q/P to ∞.
	if n := len(m.Means); !m.Reversed || m.Means[0].Sign() > 0 || m.Means[n-1].Sign() < 0 {
		return endless()
	}
	return unknownReach()
}

// NewGaussianMixture returns the pair of (Σ probs_i·N(means_i, 1), N(0, 1)), or nil if all means of positive
// probability are 0. One mean is a Gaussian; the mean 0 and one other are a Poisson-sampled Gaussian. The lists are of
// one length, means are at least 0 and probabilities sum to 1.
func NewGaussianMixture(means, probs []*big.Rat) Pair {
	var cs []gaussianComponent
	for i, c := range means {
		if probs[i].Sign() > 0 {
			cs = append(cs, gaussianComponent{c, new(big.Rat).Set(probs[i])})
		}
	}
	return mergeComponents(cs)
}

// NewBinomialMixture returns the pair of (Σ_j P(Bin(trials, rate) = j)·N(jμ, 1), N(0, 1)), mu > 0 and 0 < rate < 1.
func NewBinomialMixture(trials int64, rate, mu *big.Rat) Pair {
	rest := new(big.Rat).Sub(ratOne, rate)
	var cs []gaussianComponent
	for j := range trials + 1 {
		prob := new(big.Rat).SetInt(new(big.Int).Binomial(trials, j))
		prob.Mul(prob, ratPow(rate, j))
		prob.Mul(prob, ratPow(rest, trials-j))
		cs = append(cs, gaussianComponent{new(big.Rat).Mul(mu, new(big.Rat).SetInt64(j)), prob})
	}
	return mergeComponents(cs)
}

// Sample returns the pair of ((1−γ)N(0,1) + γP, N(0,1)): the mean 0 gets the rest.
func (m GaussianMixture) Sample(rate *big.Rat) Pair {
	cs := []gaussianComponent{{new(big.Rat), new(big.Rat).Sub(ratOne, rate)}}
	for i, c := range m.Means {
		cs = append(cs, gaussianComponent{c, new(big.Rat).Mul(rate, m.Probs[i])})
	}
	return mergeComponents(cs)
}

// A gaussianComponent is prob·N(mean, 1). Its prob may be changed.
type gaussianComponent struct{ mean, prob *big.Rat }

// mergeComponents adds up the probabilities of equal means.
func mergeComponents(cs []gaussianComponent) Pair {
	slices.SortStableFunc(cs, func(a, b gaussianComponent) int { return a.mean.Cmp(b.mean) })
	merged := cs[:1]
	for _, c := range cs[1:] {
		if last := &merged[len(merged)-1]; last.mean.Cmp(c.mean) == 0 {
			last.prob.Add(last.prob, c.prob)
		} else {
			merged = append(merged, c)
		}
	}
	square := func(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }
	switch {
	case len(merged) == 1 && merged[0].mean.Sign() == 0:
		return nil
	case len(merged) == 1:
		return Gaussian{Mu2: square(merged[0].mean)}
	case len(merged) == 2 && merged[0].mean.Sign() == 0:
		return Sampled{Rate: merged[1].prob, Base: Product{{Gaussian{Mu2: square(merged[1].mean)}, 1}}}
	}
	var m GaussianMixture
	for _, c := range merged {
		m.Means = append(m.Means, c.mean)
		m.Probs = append(m.Probs, c.prob)
	}
	return m
}
