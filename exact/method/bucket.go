// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/bits"

	"dpverify/exact/bucket"
	"dpverify/exact/closed"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

const (
	// LeastBucketEffort is the rung from which on other methods take longer than
	// the check.
	LeastBucketEffort = 3
	// LastBucket is n, the last bucket before ∞.
	LastBucket = 1 << 10
	// maxBucketLeaves bounds the different pairs of a product.
	maxBucketLeaves = 8
	// maxBucketWords bounds the words of a mass.
	maxBucketWords = 8
)

// Bucket: the composition of a few different pairs in privacy buckets [Meiser &
// Mohammadi 2018]. It is wider than Pld for the same time, and shares no more
// with it than exact convolution and the tails of single pairs: a check, for answers
// that are worth one.
func Bucket(s *Solver, prod pair.Product, e Effort) *Plan {
	count, steps := int64(0), len(prod)-1
	for _, t := range prod {
		count += t.Count
		steps += bits.Len64(uint64(t.Count)) + bits.OnesCount64(uint64(t.Count)) - 2
		if _, ok := closed.PairTails(t.Pair); !ok && t.Pair.Kind() != pair.Discrete {
			return nil
		}
	}
	if e < LeastBucketEffort || steps < 1 || len(prod) > maxBucketLeaves {
		return nil
	}
	set := s.gridSettings(e, count)
	words := min(int(set.Prec+1)/62, maxBucketWords)
	free := min(set.Cut, int(massBits(words))-8)
	// A leaf takes two tails per bucket, a step three convolutions of 2n entries.
	cost := LastBucket * float64(words) * (6e-5*float64(len(prod)) + 1.2e-6*float64(steps))
	return &Plan{Cost: cost, Draft: never, Prepare: func(ctx context.Context) (profile.Func, error) {
		t, err := bucket.Settings{Last: LastBucket, Bits: int(massBits(words)), Free: free, Reach: free}.Product(ctx, prod)
		if t == nil {
			return nil, err
		}
		return t.Delta, err
	}}
}
