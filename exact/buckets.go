// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact/bucket"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// A BucketShape says how privacy buckets are to be used.
type BucketShape struct {
	Last int      // n: buckets are −n … n and ∞; even, in [2, MaxLastBucket]
	Eta  *big.Rat // the logarithm of the bucket factor, > 0; nil: chosen to cover the losses
	Bits int      // fraction bits of masses, in [MinBucketBits, MaxBucketBits]
	// Free squares the factor only where bucket ∞ holds more than 2^−Free; in [1, Bits − 8].
	Free int
	// Reach, if not 0, chooses factors so that a leaf has 2^−Reach of mass beyond its buckets; 0
	// stands for Free + 24, so that some compositions fit in before the first squaring.
	Reach int
	// Step is told what is being done, if it is not nil.
	Step func(what string)
}

const (
	// MaxLastBucket bounds n.
	MaxLastBucket = 1 << 22
	// MinBucketBits and MaxBucketBits bound the bits of a mass.
	MinBucketBits, MaxBucketBits = 61, 62*maxBucketWords - 1
)

func (s BucketShape) check() error {
	if s.Last%2 != 0 {
		return &mechanism.ParamError{Field: "buckets", Value: fmt.Sprint(2 * s.Last), Want: "a multiple of 4"}
	}
	if err := mechanism.CheckInteger("buckets", 2*int64(s.Last), 4, 2*MaxLastBucket); err != nil {
		return err
	}
	if err := mechanism.CheckInteger("bits", int64(s.Bits), MinBucketBits, MaxBucketBits); err != nil {
		return err
	}
	if err := mechanism.CheckInteger("free", int64(s.Free), 1, int64(s.Bits)-8); err != nil {
		return err
	}
	if s.Eta != nil && s.Eta.Sign() <= 0 {
		return &mechanism.ParamError{Field: "factor", Value: "e^" + s.Eta.RatString(), Want: "a number > 1"}
	}
	return nil
}

// A NoLeafError says that a product has a factor that privacy buckets do not know.
type NoLeafError struct{ Product string }

func (e *NoLeafError) Error() string {
	if e.Product == (pair.Product{}).String() {
		return "nothing is released: there is nothing to put into privacy buckets"
	}
	return "no privacy buckets are known for some factor of " + e.Product
}

// A BucketTree is the composition tree of one dominating product of an event.
type BucketTree struct {
	Product string
	// Upper and Lower say from which side the product's profile bounds the event's.
	Upper, Lower bool
	tree         *bucket.Tree
}

// N returns n, the last bucket before ∞.
func (t BucketTree) N() int { return t.tree.N() }

// Eta returns the logarithm of the bucket factor, after all squarings.
func (t BucketTree) Eta() *big.Rat { return t.tree.Eta() }

// U returns the u of Definition 7: how many buckets too high an event may be.
func (t BucketTree) U() *big.Rat { return t.tree.U() }

// Infinite encloses the P-mass of bucket ∞.
func (t BucketTree) Infinite() interval.Interval { return t.tree.Infinite(64) }

// Renyi encloses the Rényi divergence of an order above 1, from buckets (§5.7).
func (t BucketTree) Renyi(alpha *big.Rat) interval.Interval { return t.tree.Renyi(64, alpha) }

// PrintedRenyi encloses what the paper computes for the divergence of an order above 1: its formula leaves out bucket ∞,
// and bounds nothing where that has mass.
func (t BucketTree) PrintedRenyi(alpha *big.Rat) interval.Interval {
	return t.tree.PrintedRenyi(64, alpha)
}

// BucketBounds are the bounds of a tree on δ(ε) of its product, in the terms of Meiser &
// Mohammadi 2018.
type BucketBounds struct {
	Lower *big.Float // Theorem 2, rounded down
	Upper *big.Float // Definition 9 and Lemma 13, rounded up
	// Typical is an upper bound that reckons with the typical misplacement of events in place of
	// the worst one; it is ours.
	Typical     *big.Float
	Uncorrected *big.Float // Definition 5 and Theorem 1: without error correction, rounded up
	// Real and Virtual are what the error correction terms take from Uncorrected and from the lower bound.
	Real, Virtual interval.Interval
	PDP           *big.Float // an upper bound of P(L > ε), rounded up
}

// At returns the bounds at an ε.
func (t BucketTree) At(ctx context.Context, eps *big.Rat) (BucketBounds, error) {
	const p = interval.Prec(64)
	x := interval.RealRat(eps)
	// Delta sees to it that the bounds do not cross.
	if _, err := t.tree.Delta(ctx, p, x); err != nil {
		return BucketBounds{}, err
	}
	b := BucketBounds{Lower: t.tree.Lower(p, x), Upper: t.tree.Upper(p, x), Typical: t.tree.Typical(p, x), Uncorrected: t.tree.Uncorrected(p, x), PDP: t.tree.PDP(p, x)}
	b.Real, b.Virtual = t.tree.ErrorTerms(p, x)
	return b, nil
}

// Buckets puts the products that dominate an event, and those that it attains, into privacy
// buckets and composes them. The error is about the question, as Prepare's, about the
// shape (*mechanism.ParamError), a *NoLeafError, or ctx's.
func Buckets(ctx context.Context, q Question, s BucketShape) ([]BucketTree, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	prob, err := pair.Resolve(q.Event, q.Relation)
	if err != nil {
		return nil, err
	}
	bs, err := prob.Profile(q.Direction)
	if err != nil {
		return nil, err
	}
	ctx = q.limit(ctx)
	var out []BucketTree
	add := func(prods []pair.Product, upper, lower bool) error {
		for _, prod := range prods {
			var t *bucket.Tree
			if len(prod) > 0 {
				if t, err = s.compose(ctx, prod); err != nil {
					return err
				}
			}
			if t == nil {
				return &NoLeafError{prod.String()}
			}
			out = append(out, BucketTree{prod.String(), upper, lower, t})
		}
		return nil
	}
	if err := add(bs.Upper, true, bs.Attained); err != nil {
		return nil, err
	}
	return out, add(bs.Lower, false, true)
}

// compose returns the tree of a product, nil if a factor has no leaf.
func (s BucketShape) compose(ctx context.Context, prod pair.Product) (*bucket.Tree, error) {
	step := s.Step
	if step == nil {
		step = func(string) {}
	}
	reach := s.Reach
	if reach == 0 {
		reach = min(s.Free+24, s.Bits)
	}
	etas, ok := bucket.Factors(prod, s.Last, reach)
	if !ok {
		return nil, nil
	}
	trees := make([]*bucket.Tree, len(prod))
	for i, t := range prod {
		eta := etas[i]
		if s.Eta != nil {
			eta = s.Eta
		}
		step(fmt.Sprintf("the leaf of factor %d of %d", i+1, len(prod)))
		leaf, ok, err := bucket.PairLeaf(ctx, t.Pair, bucket.Shape{N: s.Last, Eta: eta, Prec: uint(s.Bits)})
		if !ok {
			return nil, err
		}
		policy := bucket.Policy{FreeInfinity: s.Free, Spend: true, Progress: func(done, total int) {
			step(fmt.Sprintf("factor %d of %d, composition %d of %d", i+1, len(prod), done, total))
		}}
		if trees[i], err = policy.Power(ctx, leaf, t.Count); err != nil {
			return nil, err
		}
	}
	policy := bucket.Policy{FreeInfinity: s.Free, Spend: true, Progress: func(done, total int) {
		step(fmt.Sprintf("product %d of %d", done, total))
	}}
	return policy.Product(ctx, trees)
}
