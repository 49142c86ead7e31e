// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package statement

import (
	"math/big"

	"dpverify/exact/fixed"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// maxRecords is how many records a truncated sample that a checker takes has at most.
const maxRecords = 1 << 20

// A Truncated pair dominates a truncated Poisson sample of Gaussian noise. It shows whether others fill the batch, with
// the probability Full: then it is Far, a sample at twice the distance, and else Near.
type Truncated struct {
	Near, Far Sampled
	Full      *big.Rat
}

// newTruncated is the pair of a truncated sample of which a record comes or goes, if its batch holds at least about as
// many as are sampled on average.
func newTruncated(e mechanism.TruncatedSubsampledGaussian) (p Truncated, ok bool) {
	n, q, size := e.DatasetSize, e.SamplingProbability, e.TruncatedBatchSize
	full, ok := often(n, size, number.Float64(q))
	if n > maxRecords || size < 1 || size > n || q.Sign() == 0 || !ok {
		return p, false
	}
	sample := func(distance int64) Sampled {
		variance := new(big.Rat).Mul(e.NoiseMultiplier, e.NoiseMultiplier)
		return Sampled{Gaussian{Square: variance.Quo(big.NewRat(distance*distance, 1), variance)}, q}
	}
	return Truncated{sample(1), sample(2), full}, true
}

// often is a little more than the bound of a checker for P(Bin(n, q) ≥ b): in parts of P(Bin(n, q) = b), what is above
// is a geometric sum, and below are some terms. It reports whether the sum is finite, and the bound not tiny.
func often(n, b int64, q float64) (*big.Rat, bool) {
	odds := q / (1 - q)
	fall := float64(n-b) * odds / float64(b+1)
	above, term := 1/(1-fall), 1.0
	all := above
	for k := b; k > max(0, b-MaxOutcomes); k-- {
		term *= float64(k) / float64(n-k+1) / odds
		all += term
	}
	full := new(big.Rat).SetFloat64(min(1, above/all*(1+1e-9)+1e-60))
	return full, q < 1 && fall < 1-1e-9 && full != nil
}

// SelfDual reports false: only P is a mixture.
func (p Truncated) SelfDual() bool { return false }

// Greatest is unknown: losses have no bound.
func (p Truncated) Greatest() (loss, infinite *big.Rat) { return nil, nil }

// Profile is the mean of the two profiles.
func (p Truncated) Profile(d mechanism.Direction, alpha fixed.Real) fixed.Real {
	full := Three.Rat(p.Full)
	near := Three.Mul(Three.Sub(fixed.Int(1), full), p.Near.Profile(d, alpha))
	return Three.Add(near, Three.Mul(full, p.Far.Profile(d, alpha)))
}
