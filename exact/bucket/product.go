// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact/pair"
)

// Settings say how a product of pairs is put into buckets. They affect width, never soundness.
type Settings struct {
	Last int      // n: buckets are −n … n and ∞; even
	Eta  *big.Rat // the logarithm of the bucket factor, > 0; nil: chosen to cover the losses
	Bits int      // fraction bits of masses, 62w − 1 for w words
	// Free squares the factor only where bucket ∞ holds more than 2^−Free; in [1, Bits − 8].
	Free int
	// Reach, if not 0, chooses factors so that a leaf has 2^−Reach of mass beyond its buckets; 0
	// stands for Free + 24, so that some compositions fit in before the first squaring.
	Reach int
	// Step is told what is being done, if it is not nil.
	Step func(what string)
}

// Product returns the tree of a product, nil if a factor has no leaf. The error is ctx's, or
// convolve.ErrSelfCheck.
func (s Settings) Product(ctx context.Context, prod pair.Product) (*Tree, error) {
	step := s.Step
	if step == nil {
		step = func(string) {}
	}
	reach := s.Reach
	if reach == 0 {
		reach = min(s.Free+24, s.Bits)
	}
	etas, ok := Factors(prod, s.Last, reach)
	if !ok {
		return nil, nil
	}
	trees := make([]*Tree, len(prod))
	for i, t := range prod {
		eta := etas[i]
		if s.Eta != nil {
			eta = s.Eta
		}
		step(fmt.Sprintf("the leaf of factor %d of %d", i+1, len(prod)))
		leaf, ok, err := PairLeaf(ctx, t.Pair, Shape{N: s.Last, Eta: eta, Prec: uint(s.Bits)})
		if !ok {
			return nil, err
		}
		policy := Policy{FreeInfinity: s.Free, Spend: true, Progress: func(done, total int) {
			step(fmt.Sprintf("factor %d of %d, composition %d of %d", i+1, len(prod), done, total))
		}}
		if trees[i], err = policy.Power(ctx, leaf, t.Count); err != nil {
			return nil, err
		}
	}
	policy := Policy{FreeInfinity: s.Free, Spend: true, Progress: func(done, total int) {
		step(fmt.Sprintf("product %d of %d", done, total))
	}}
	return policy.Product(ctx, trees)
}
