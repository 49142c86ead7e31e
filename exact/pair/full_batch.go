// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
)

// FullBatch is what a record does to a batch of Gaussian noise that the others leave one place in, or fill.
//
// Let the others in that batch be at 0 but for the last, which moves them to a, |a| ≤ Mu, in units of the noise.
// Let the record be at x, |x| ≤ Mu. Then
//
//	P = P₀·N(a) + P₁·N(0) + P₂·N(x),  Q = Q₀·N(a) + Q₁·N(0).
//
// The pair has the greatest of all these profiles, at each α.
//
// Lemma (Neyman and Pearson). For a set S with m = N(c)(S), any N(c′)(S) is between Φ(Φ⁻¹(m) ∓ |c − c′|). A half-line
// reaches all of these bounds at once where the others lie on a ray from c, at the greatest distances.
//
// So the worst a is known wherever one weight of P − αQ is positive and the others are not, or the other way round.
// The weights at a, 0 and x are P₀ − αQ₀, P₁ − αQ₁ and P₂. As P₁/Q₁ ≤ P₀/Q₀,
//
//   - α ≥ P₀/Q₀: only that at x is positive, and a = −x is the worst.
//   - P₁/Q₁ ≤ α < P₀/Q₀: only that at 0 is negative, and a = x is the worst.
//   - α < P₁/Q₁: none is negative.
type FullBatch struct {
	unlisted
	P        [3]*big.Rat // at a, 0 and x; positive, with the sum 1
	Q        [2]*big.Rat // at a and 0; likewise, and P[1]/Q[1] ≤ P[0]/Q[0]
	Mu       *big.Rat
	Reversed bool
	Of       *Batch // the sample that it bounds, if it is known; no part of the pair
}

// A Batch is a truncated Poisson sample with Gaussian noise, by its parameters: n, q, B, μ = 1/σ, and whether a record
// that is removed leaves a null one in its place.
type Batch struct {
	Records int64
	Rate    *big.Rat
	Size    int64
	Mu      *big.Rat
	Null    bool
}

func (f FullBatch) String() string {
	return fmt.Sprintf("FullBatch(%s, %s, μ=%s)%s", ratList(f.P[:]), ratList(f.Q[:]), f.Mu.RatString(),
		reversedMark(f.Reversed))
}

// Reverse exchanges P and Q.
func (f FullBatch) Reverse() Pair {
	f.Reversed = !f.Reversed
	return f
}
func (FullBatch) SelfDual() bool            { return false }
func (f FullBatch) isReversed() bool        { return f.Reversed }
func (FullBatch) infMass() (*big.Rat, bool) { return new(big.Rat), true }

// reach: reversed, the losses tend to log(Q₁/P₁), which is no rational number.
func (f FullBatch) reach() reach {
	if !f.Reversed {
		return endless()
	}
	return unknownReach()
}
