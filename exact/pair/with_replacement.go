// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
)

// WithReplacement stands for an upper bound of Size draws with replacement from Source records, two neighbours of
// which differ in one record, with additive noise. Base is the pair of one copy of the record exchanged, Gaussian or
// Laplace noise. 1 < Source.
//
// Let the record be drawn K ~ Bin(m, 1/n) times, w_k = P(K = k), and δ_k be the profile of k copies exchanged, as a
// function of α.
//
// Claim. For α ≥ 1 and any α_k ≥ 0, α₀ = 1, with Σ_{k≤i} w_k·α_k ≤ α·Σ_{k≤i} w_k for every i,
//
//	H_α ≤ Σ_{k≥1} w_k·δ_k(α_k).
//
// Proof. Let J be the draws that are the record, and Y_i the other record that draw i has if it is not in J. J and Y
// are independent. H_α is jointly convex, so Y may be revealed. Then P and Q are Σ w_k·P_k and Σ w_k·Q_k, by the size
// of J.
//
// For j ≤ k, P_k and Q_j are k exchanges apart: let I be a random subset of J of j draws. P_k has x on J. Q_j has x′
// on I and Y on the rest of J. Elsewhere both have Y. By convexity again, H_a(P_k‖Q_j) ≤ δ_k(a) for all a.
//
// By the condition the αw_j·Q_j can be shared out, αw_j ≥ Σ_{k≥j} w_k·c_kj, so that Σ_j c_kj = α_k: serve k = 0, 1, …
// in turn from all Q_j, j ≤ k, that are left. For every set S
//
//	P(S) − α·Q(S) ≤ Σ_k w_k·(P_k(S) − Σ_j c_kj·Q_j(S)) ≤ Σ_k w_k·δ_k(α_k),
//
// as P_k(S) − Σ_j c_kj·Q_j(S) is a mean of the P_k(S) − α_k·Q_j(S), and P₀ = Q₀. ∎
//
// Where x′ is the null record, P_k and Q_j are less than k exchanges apart: by x on I, and by x − Y on the rest of J,
// which are 2k − j halves of an exchange. If P has the null record, they are k halves apart, for all j ≤ k. The first,
// with D_h the profile at h halves, any t_kj ≥ 0 with Σ_j t_kj ≥ 1, and any c_kj ≥ 0, j ≤ k, with Σ_k w_k·c_kj ≤
// α·w_j, c₀₀ = 1, says that
//
//	H_α ≤ Σ_{k≥1} w_k·Σ_j t_kj·D_{2k−j}(c_kj/t_kj),
//
// as P_k(S) ≤ Σ_j t_kj·P_k(S). It is H_α(Σ w_k·N(2kμ, 1)‖Σ w_k·N(kμ, 1)), with μ of one half, where all c_kj/t_kj are
// ratios of the densities at one place, the end of the best half-line: the profile of a record to which all others are
// opposite.
//
// With α_k = 1 + (α − 1)/γ for all k ≥ 1, γ = 1 − w₀, it is [Balle, Barthe & Gaboardi 2018, Theorem 10]. With
// Gaussian noise, and α_k at which the slopes of all δ_k are one number, it is H_α(Σ w_k·N(kμ, 1)‖N(0, 1)): the
// profile of a record x that replaces x′, where all others are x′.
type WithReplacement struct {
	unlisted
	Source, Size int64
	Base         Pair
	// Null says that one of the two records is the null one. P has the other; Q has it when Reversed.
	Null, Reversed bool
}

func (x WithReplacement) String() string {
	by := ""
	if x.Null {
		by = ", null"
	}
	return fmt.Sprintf("WithReplacement(%d of %d, %s%s)%s", x.Size, x.Source, x.Base, by, reversedMark(x.Reversed))
}

// Reverse is the pair itself, unless one record is the null one: the bound is one for both orientations then.
func (x WithReplacement) Reverse() Pair {
	x.Reversed = x.Null && !x.Reversed
	return x
}
func (x WithReplacement) SelfDual() bool          { return !x.Null }
func (x WithReplacement) isReversed() bool        { return x.Reversed }
func (WithReplacement) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (WithReplacement) reach() reach              { return unknownReach() }

// Group returns the pair of k copies exchanged.
func (x WithReplacement) Group(k int64) Pair {
	p, _ := AtDistance(x.Base, k)
	return p
}

// AtDistance returns additive noise at k times the distance.
func AtDistance(x Pair, k int64) (Pair, bool) {
	n := new(big.Rat).SetInt64(k)
	switch x := x.(type) {
	case Gaussian:
		return Gaussian{Mu2: n.Mul(x.Mu2, n.Mul(n, n))}, true
	case Laplace:
		return Laplace{Shift: n.Mul(n, x.Shift)}, true
	}
	return nil, false
}

// Copies encloses P(K = k) for k = 1 … most, and P(K > most).
func (x WithReplacement) Copies(p interval.Prec, most int64) (masses []interval.Interval, rest interval.Interval) {
	most = min(most, x.Size)
	q := big.NewRat(1, x.Source)
	for k := int64(1); k <= most; k++ {
		masses = append(masses, binomial.Mass(p, x.Size, k, q))
	}
	return masses, binomial.AtLeast(p, x.Size, most+1, q)
}

// Drawn encloses γ.
func (x WithReplacement) Drawn(p interval.Prec) interval.Interval {
	return binomial.AtLeast(p, x.Size, 1, big.NewRat(1, x.Source))
}
