// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/pair"
	"dpverify/exact/truncated"
	"dpverify/mechanism"
)

// truncatedSample resolves the Gaussian mechanism on a truncated Poisson sample of n records, σ in units of C. For
// what it is at most see [truncated.Sample].
//
// From below. All others null: the Poisson sample at the rate at which the record is in the batch. All others at one
// place, opposite to the record or at an angle with it: see Opposed. Where all are sampled, all others at the record
// that replaces, or at the one that is replaced.
func (r *resolver) truncatedSample(e mechanism.TruncatedSubsampledGaussian) (meaning, error) {
	n, q, size := e.DatasetSize, e.SamplingProbability, e.TruncatedBatchSize
	if n == 0 || q.Sign() == 0 || size == 0 {
		return neutral(), nil
	}
	mu := new(big.Rat).Inv(e.NoiseMultiplier)
	gaussian := func(distance int64) pair.Product {
		m := new(big.Rat).Mul(mu, new(big.Rat).SetInt64(distance))
		return pair.Copies(pair.Gaussian{Mu2: m.Mul(m, m)}, 1)
	}
	c := truncated.New(e)
	null := false
	switch r.rel {
	case mechanism.AddOrRemoveOne:
	case mechanism.ReplaceSpecial:
		null = true
	case mechanism.ReplaceOne:
		lower := pair.Copies(c.ReplacedAlone(c.Rate()), 1)
		if c.NeverFull() {
			m := exactly(lower)
			m.traits.sampled = q.Cmp(ratOne) < 0
			return m, nil
		}
		upper := pair.Copies(c.Replaced(), 1)
		if q.Cmp(ratOne) == 0 {
			of := pair.Copies(pair.Sampled{Rate: big.NewRat(size, n), Base: gaussian(2)}, 1)
			if r.alike {
				return between(upper, of), nil
			}
			return between(upper, of, of.Reverse()), nil
		}
		m := between(upper, lower)
		m.traits.sampled = true
		return m, nil
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	whole := func(rate *big.Rat, distance int64) pair.Pair {
		if rate.Cmp(ratOne) >= 0 {
			return gaussian(distance)[0].Pair
		}
		return pair.Sampled{Rate: rate, Base: gaussian(distance)}
	}
	if c.NeverFull() {
		return exactly(pair.Copies(whole(q, 1), 1)), nil
	}
	if q.Cmp(ratOne) == 0 { // always full
		rate := big.NewRat(size, n)
		if null {
			return between(pair.Copies(pair.Mixed(rate, gaussian(1)), 1), pair.Copies(whole(rate, 1), 1)), nil
		}
		return exactly(pair.Copies(whole(rate, 2), 1)), nil // attained by others that are opposite
	}
	some := []pair.Product{{{Pair: whole(c.Rate(), 1), Count: 1}}}
	if !null {
		some = append(some, pair.Opposites(e)...)
	}
	return between(pair.Copies(c.Removed(null), 1), some...), nil
}
