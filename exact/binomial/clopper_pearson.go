// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package binomial

import (
	"math/big"

	"dpverify/exact/interval"
)

const (
	boundBits = 48 // of the bounds of Clopper and Pearson after the point
	tailBits  = 40 // of the tails that decide
)

// LeastProbability is a lower confidence bound [Clopper & Pearson 1934] of the probability q of a success, after k
// successes in n independent trials: a multiple of 2^−48, next to the greatest one b with
//
//	P(Bin(n, b) ≥ k) ≤ alpha
//
// so that b > q in at most a share alpha of all samples. It is 0 for k = 0.
//
// Proof. Let q be the truth and k₀ the least k with P(Bin(n, q) ≥ k) ≤ alpha. The tail rises with the
// probability: a bound b > q has P(Bin(n, q) ≥ k) ≤ P(Bin(n, b) ≥ k) ≤ alpha, hence k ≥ k₀, which has at most the
// probability alpha. ∎
//
// The same holds of a mixture of different trials for their greatest probability, and not for their mean.
//
// Requires: 0 ≤ k ≤ n, 0 < alpha < 1.
// Rounding: down; each b is certified by an enclosure of its tail.
func LeastProbability(n, k int64, alpha *big.Rat) *big.Rat {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), boundBits)
	at := func(i *big.Int) *big.Rat { return new(big.Rat).SetFrac(i, new(big.Int).Lsh(big.NewInt(1), boundBits)) }
	for k > 0 && new(big.Int).Sub(hi, lo).Cmp(big.NewInt(1)) > 0 {
		mid := new(big.Int).Rsh(new(big.Int).Add(lo, hi), 1)
		if AtLeast(tailBits, n, k, at(mid)).LessEqRat(alpha) == interval.True {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at(lo)
}

// GreatestProbability is the upper bound that belongs to LeastProbability: 1 less the lower bound for the failures.
func GreatestProbability(n, k int64, alpha *big.Rat) *big.Rat {
	return new(big.Rat).Sub(ratOne, LeastProbability(n, n-k, alpha))
}
