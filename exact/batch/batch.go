// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package batch bounds Gaussian noise on truncated Poisson samples from above, with both orders of two
// other records at once. docs/theorems.md has the theorem, "Truncated Poisson samples: both orders of two others".
package batch

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"dpverify/exact/binomial"
	"dpverify/exact/closed"
	"dpverify/exact/convolve"
	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

const (
	// maxMu bounds the distances: exponents stay below 2^9. Below 2^−mostNoise, weights of laws cancel.
	maxMu     = 8
	mostNoise = 40
	// leastFull is how often batches have to be full, or to have one place left, for a bound to be worth its time.
	leastFull = 0x1p-13
)

// A Bound of one truncated sample.
type Bound struct {
	of pair.Batch
	// Enclosures: P(at most B − 3 others are sampled), that B − 2 are, that B − 1 are, that B or more are, and that the
	// record is kept, and so many are.
	rest, zero, one, full, in interval.Interval
	fine, rough               *grid
}

// New reports false where two others cannot share two places, or full batches are rare or the noise is small or huge.
func New(of pair.Batch) (*Bound, bool) {
	if of.Size < 2 || of.Records <= of.Size || of.Rate.Cmp(big.NewRat(1, 1)) >= 0 || of.Mu.Cmp(big.NewRat(maxMu, 1)) > 0 ||
		of.Mu.Cmp(interval.Pow2(-mostNoise)) < 0 {
		return nil, false
	}
	others := of.Records - 1
	b := &Bound{of: of,
		zero: binomial.Mass(prec, others, of.Size-2, of.Rate),
		one:  binomial.Mass(prec, others, of.Size-1, of.Rate),
		full: binomial.AtLeast(prec, others, of.Size, of.Rate),
		in: prec.Mul(prec.Rat(big.NewRat(of.Size, of.Records)), binomial.AtLeast(prec, of.Records,
			of.Size+1, of.Rate)),
	}
	b.rest = prec.Sub(interval.Int(1), binomial.AtLeast(prec, others, of.Size-2, of.Rate))
	if !(lower(prec.Add(b.one, b.full)) > leastFull) {
		return nil, false
	}
	mu := upper(prec.Rat(of.Mu))
	b.fine, b.rough = newGrid(mu, 8, 2, 9), newGrid(mu, 4, 1, 9)
	return b, true
}

// weights for one α ≥ 1. Where a null record has a place in the batch, Q has it kept at v instead of v₁ + v₂.
func (b *Bound) weights(alpha *big.Rat) weights {
	a, q := prec.Rat(alpha), prec.Rat(b.of.Rate)
	none := prec.Sub(interval.Int(1), q)
	more := prec.Sub(a, none) // α − (1 − q)
	above := prec.Sub(a, interval.Int(1))
	single, two := prec.Mul(b.one, more), prec.Add(prec.Mul(b.full, above), b.in)
	if b.of.Null {
		single = prec.Add(single, prec.Mul(a, b.in))
		two = prec.Mul(prec.Sub(b.full, b.in), above)
	}
	half := func(x interval.Interval) interval.Interval { return prec.Scale(x, -1) }
	return weights{
		rest: upper(prec.Mul(b.rest, q)), restZero: lower(prec.Mul(b.rest, more)),
		joins: upper(prec.Mul(b.zero, q)), kept: upper(half(prec.Add(prec.Mul(b.one, q), b.in))),
		zero: lower(prec.Mul(b.zero, more)), single: lower(half(single)), two: lower(two),
	}
}

// Above bounds H_α for α ≥ 1 from above, with so many cells of places of the others.
func (b *Bound) Above(alpha *big.Rat, cells int) *big.Rat {
	s := search{b.weights(alpha), b.fine.newTable(), b.rough.newTable()}
	y := s.greatest(cells)
	if !(y < 1) {
		return big.NewRat(1, 1)
	}
	return double.Rat(y)
}

// cellsOf is how often a search for the worst places halves a cell, for a pair; stepsOf is how many α it has to a unit
// of losses, half as many from 4 on, and so on.
const (
	cellsOf = 120
	stepsOf = 12
)

// steep is the step of losses that are close to 0.
const steep = 512

// Pair returns a pair that dominates the sample, P having the record: its profile is the lower hull of points of the
// bound, and of the profile that dominating has, a pair that dominates the sample as well.
func (b *Bound) Pair(ctx context.Context, dominating pair.Pair, least *big.Rat) (pair.Pair, bool, error) {
	tails, ok := closed.PairTails(dominating)
	if !ok {
		return nil, false, nil
	}
	const w = interval.Prec(64)
	type value struct{ alpha, u *big.Rat }
	at := func(loss *big.Rat) value {
		alpha, _, _ := interval.Prec(53).Round(w.Exp(w.Rat(loss))).Rationals()
		u := tails.Delta(w, func(p interval.Prec) interval.Interval { return p.Log(p.Rat(alpha)) })
		hi, ok := w.Round(u).UpperRat() // it may be too small to be written as a fraction
		if !ok {
			hi = big.NewRat(1, 1)
		}
		return value{alpha, hi}
	}
	step, top := big.NewRat(1, stepsOf), big.NewRat(1, stepsOf)
	var losses []*big.Rat
	for ; at(top).u.Cmp(least) > 0 && top.Cmp(big.NewRat(64, 1)) < 0; top = new(big.Rat).Add(top, step) {
		losses = append(losses, top)
		if coarse := new(big.Rat).Mul(step, big.NewRat(4*stepsOf, 1)); top.Cmp(coarse) >= 0 {
			step = new(big.Rat).Mul(step, big.NewRat(2, 1))
		}
	}
	values := make([]value, len(losses))
	if err := convolve.Parallel(ctx, len(values), func(i int) {
		values[i] = at(losses[i])
		if u := b.Above(values[i].alpha, cellsOf); u.Cmp(values[i].u) < 0 {
			values[i].u = u
		}
	}); err != nil {
		return nil, false, err
	}
	// Small steps close to 0 that grow to an eighth of the losses, and to half of those above.
	last := new(big.Rat).Mul(step, big.NewRat(1, 2))
	step = big.NewRat(1, steep)
	for x := new(big.Rat); x.Cmp(top) < 0; x = new(big.Rat).Add(x, step) {
		values = append(values, at(x))
		if x.Sign() > 0 {
			values = append(values, at(new(big.Rat).Neg(x)))
		}
		if grown := new(big.Rat).Mul(x, big.NewRat(1, 8)); grown.Cmp(step) > 0 && step.Cmp(last) < 0 {
			step = new(big.Rat).Mul(step, big.NewRat(2, 1))
		}
	}
	values = append(values, at(top))
	alphas, us := make([]*big.Rat, 0, len(values)), make([]*big.Rat, 0, len(values))
	for _, v := range values {
		alphas, us = append(alphas, v.alpha), append(us, v.u)
	}
	return pair.Under(alphas, us), true, nil
}

// recent has pairs that were computed, which do not depend on anything else. An event is asked about at several
// efforts.
var recent = struct {
	sync.Mutex
	pairs map[string]pair.Pair // nil where there is none
}{pairs: make(map[string]pair.Pair)}

const maxRecent = 64

// finite is New and Pair, which are remembered.
func finite(ctx context.Context, of pair.Batch, dominating pair.Pair, least *big.Rat) (pair.Pair, bool, error) {
	key := fmt.Sprintf("%d %s %d %s %t %s %s", of.Records, of.Rate, of.Size, of.Mu, of.Null, dominating, least)
	recent.Lock()
	x, ok := recent.pairs[key]
	recent.Unlock()
	if ok {
		return x, x != nil, nil
	}
	if b, ok := New(of); ok {
		var err error
		if x, _, err = b.Pair(ctx, dominating, least); err != nil {
			return nil, false, err
		}
	}
	recent.Lock()
	defer recent.Unlock()
	if len(recent.pairs) >= maxRecent {
		clear(recent.pairs)
	}
	recent.pairs[key] = x
	return x, x != nil, nil
}

// Under replaces each truncated sample in a product that dominates by a finite pair that does as well, and says more.
// It reports whether there is one.
func Under(ctx context.Context, prod pair.Product, least *big.Rat) (pair.Product, bool, error) {
	out, some := slices.Clone(prod), false
	for i, t := range prod {
		m, ok := t.Pair.(pair.Mean)
		if !ok {
			continue
		}
		f, ok := pair.Single[pair.FullBatch](m.Of[0])
		if !ok || f.Of == nil {
			continue
		}
		dominating := t.Pair
		if f.Reversed {
			dominating = dominating.Reverse()
		}
		x, ok, err := finite(ctx, *f.Of, dominating, least)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			continue
		}
		if out[i].Pair = x; f.Reversed {
			out[i].Pair = x.Reverse()
		}
		some = true
	}
	return out, some, nil
}
