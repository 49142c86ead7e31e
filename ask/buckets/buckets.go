// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package buckets asks privacy buckets, as their paper does, about a mechanism: bounds of δ
// with their error terms, tails, and Rényi divergences, of each product that dominates it.
package buckets

import (
	"context"
	"math/big"
	"strings"

	"dpverify/exact"
	"dpverify/exact/bucket"
	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// A Request asks buckets.
type Request struct {
	exact.Question
	bucket.Settings
	Eps, Orders         []*big.Rat // of δ in nats, and of Rényi divergences
	EpsText, OrdersText []string   // the same, as they were written
	Digits              int        // significant digits to show
	Step                func(what string)
}

// A Finding is the answer of buckets.
type Finding struct {
	Request
	Trees []Tree
}

// A Tree is the buckets of one product, and their bounds.
type Tree struct {
	Built
	At    []Bounds            // at each ε
	Renyi []interval.Interval // at each order
}

// Compute builds the trees and asks them.
func Compute(ctx context.Context, r Request) (*Finding, error) {
	if r.Step == nil {
		r.Step = func(string) {}
	}
	r.Settings.Step = r.Step
	trees, err := Build(ctx, r.Question, r.Settings)
	if err != nil {
		return nil, err
	}
	f := &Finding{Request: r}
	for _, t := range trees {
		x := Tree{Built: t}
		for _, eps := range r.Eps {
			r.Step("bounds at ε = " + number.Format(eps))
			b, err := t.At(ctx, eps)
			if err != nil {
				return nil, err
			}
			x.At = append(x.At, b)
		}
		for _, a := range r.Orders {
			r.Step("the divergence of order " + number.Format(a))
			x.Renyi = append(x.Renyi, t.Renyi(a))
		}
		f.Trees = append(f.Trees, x)
	}
	return f, nil
}

// Bounds returns bounds of the mechanism's δ at the i-th ε: the greatest lower bound, and the greatest of
// the upper bounds of all products that bound it from above.
func (f *Finding) Bounds(i int) (lo, hi *big.Float) {
	lo, hi = new(big.Float), new(big.Float)
	for _, t := range f.Trees {
		b := t.At[i]
		up := b.Upper
		if b.Typical.Cmp(up) < 0 {
			up = b.Typical
		}
		if t.Upper && up.Cmp(hi) > 0 {
			hi = up
		}
		if t.Lower && b.Lower.Cmp(lo) > 0 {
			lo = b.Lower
		}
	}
	return lo, hi
}

// FreeBits returns the greatest m with 2^−m at least x; false where x is not in [2^−(bits − 8), 1/2].
func FreeBits(x *big.Rat, bits int) (m int, ok bool) {
	half := big.NewRat(1, 2)
	if x.Cmp(interval.Pow2(8-bits)) < 0 || x.Cmp(half) > 0 {
		return 0, false
	}
	m = 1
	for y := big.NewRat(1, 4); y.Cmp(x) >= 0; y.Mul(y, half) {
		m++
	}
	return m, true
}

// ParseFactor reads a bucket factor, a number or e^X, and returns its logarithm. Of a number, the
// logarithm is rounded to 96 digits after the binary point; the factor is then e to that. Factors are
// from 1 + 10^−20 to 10^6, and X from 10^−20 to 1000.
func ParseFactor(s string) (eta *big.Rat, ok bool) {
	const bits, p = 96, interval.Prec(192)
	least := big.NewRat(1, 1)
	least.Quo(least, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil)))
	text, power := strings.CutPrefix(s, "e^")
	x, err := number.Parse(text)
	switch {
	case err != nil:
		return nil, false
	case power:
		return x, x.Cmp(least) >= 0 && x.Cmp(big.NewRat(1000, 1)) <= 0
	case new(big.Rat).Sub(x, big.NewRat(1, 1)).Cmp(least) < 0 || x.Cmp(big.NewRat(1_000_000, 1)) > 0:
		return nil, false
	}
	z := interval.FloorScaled(p.Log(p.Rat(x)), bits)
	return new(big.Rat).SetFrac(z, new(big.Int).Lsh(big.NewInt(1), bits)), true
}
