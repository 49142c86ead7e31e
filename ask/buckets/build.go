// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package buckets

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/bucket"
	"dpverify/exact/convolve"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
	"dpverify/mechanism/argument"
)

const (
	// MaxLast bounds n, the last bucket before ∞.
	MaxLast = 1 << 22
	// MinBits and MaxBits bound the fraction bits of a mass.
	MinBits, MaxBits = 61, 62*8 - 1
)

// check returns a *mechanism.ParamError.
func check(s bucket.Settings) error {
	if s.Last%2 != 0 {
		return &mechanism.ParamError{Field: "buckets", Value: fmt.Sprint(2 * s.Last), Want: "a multiple of 4"}
	}
	if err := argument.Integer("buckets", 2*int64(s.Last), 4, 2*MaxLast); err != nil {
		return err
	}
	if err := argument.Integer("bits", int64(s.Bits), MinBits, MaxBits); err != nil {
		return err
	}
	if err := argument.Integer("free", int64(s.Free), 1, int64(s.Bits)-8); err != nil {
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

// A Built is the composition tree of one product that dominates an event.
type Built struct {
	Product string
	// Upper and Lower say from which side the product's profile bounds the event's.
	Upper, Lower bool
	tree         *bucket.Tree
}

// N returns n, the last bucket before ∞.
func (t Built) N() int { return t.tree.N() }

// Eta returns the logarithm of the bucket factor, after all squarings.
func (t Built) Eta() *big.Rat { return t.tree.Eta() }

// U returns the u of Definition 7: how many buckets too high an event may be.
func (t Built) U() *big.Rat { return t.tree.U() }

// Infinite encloses the P-mass of bucket ∞.
func (t Built) Infinite() interval.Interval { return t.tree.Infinite(64) }

// Renyi encloses the Rényi divergence of an order above 1, from buckets (§5.7).
func (t Built) Renyi(alpha *big.Rat) interval.Interval { return t.tree.Renyi(64, alpha) }

// PrintedRenyi encloses what the paper computes for the divergence of an order above 1: its formula leaves out bucket
// ∞, and bounds nothing where that has mass.
func (t Built) PrintedRenyi(alpha *big.Rat) interval.Interval {
	return t.tree.PrintedRenyi(64, alpha)
}

// Bounds are the bounds of a tree on δ(ε) of its product, in the terms of Meiser &
// Mohammadi 2018.
type Bounds struct {
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
func (t Built) At(ctx context.Context, eps *big.Rat) (Bounds, error) {
	const p = interval.Prec(64)
	x := interval.RealRat(eps)
	// Delta sees to it that the bounds do not cross.
	if _, err := t.tree.Delta(ctx, p, x); err != nil {
		return Bounds{}, err
	}
	b := Bounds{Lower: t.tree.Lower(p, x), Upper: t.tree.Upper(p, x), Typical: t.tree.Typical(p, x),
		Uncorrected: t.tree.Uncorrected(p, x), PDP: t.tree.PDP(p, x)}
	b.Real, b.Virtual = t.tree.ErrorTerms(p, x)
	return b, nil
}

// Build puts the products that dominate an event, and those that it attains, into privacy
// buckets and composes them. The error is about the question, as Prepare's, about the
// shape (*mechanism.ParamError), a *NoLeafError, or ctx's.
func Build(ctx context.Context, q exact.Question, s bucket.Settings) ([]Built, error) {
	if err := check(s); err != nil {
		return nil, err
	}
	_, bs, err := meaning.ResolveProfile(q.Event, q.Relation, q.Direction)
	if err != nil {
		return nil, err
	}
	if q.MaxMemory > 0 {
		ctx = convolve.WithMemory(ctx, q.MaxMemory)
	}
	var out []Built
	add := func(prods []pair.Product, b Built) error {
		for _, prod := range prods {
			b.Product, b.tree = prod.String(), nil
			if len(prod) > 0 {
				if b.tree, err = s.Product(ctx, prod); err != nil {
					return err
				}
			}
			if b.tree == nil {
				return &NoLeafError{b.Product}
			}
			out = append(out, b)
		}
		return nil
	}
	if err := add(bs.Upper, Built{Upper: true, Lower: bs.Attained}); err != nil {
		return nil, err
	}
	return out, add(bs.Lower, Built{Lower: true})
}
