// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"context"
	"math/big"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
	"dpverify/exact/response"
)

const (
	// maxResponses bounds the factors that are looked at one by one.
	maxResponses = 64
	// responseBits is the precision of the values.
	responseBits = interval.Prec(64)
)

// Responses: one (ε_i, δ_i) of each factor, and the composition theorems for these. It has a first answer for whatever
// has bounds of its factors, at the cost of a few values of each.
//
// A pair (P, Q) with δ(ε_i) ≤ δ_i in both orientations is dominated by the approximate randomized response of (ε_i,
// δ_i) [Kairouz, Oh & Viswanath 2015, Theorem 3.4; see pair.Hull], and products are dominated factor by factor. Which
// δ_i are taken changes how near the bound is, and not that it is one: all copies of all factors share half of the δ of
// interest.
func Responses(s *Solver, prod pair.Product, _ Effort) *Plan {
	if s == nil || s.Draft == Settled || len(prod) == 0 || len(prod) > maxResponses || len(prod) == 1 &&
		prod[0].Count == 1 {
		return nil
	}
	if _, ok := guarantees(prod); ok {
		return nil // they are that already
	}
	return &Plan{Cost: 1, Draft: Instant, Prepare: func(ctx context.Context) (profile.Func, error) {
		scales := []int{10, 20, 40} // of δ, where none is of interest
		if s.scale >= 0 {
			scales = []int{s.scale}
		}
		var fs []profile.Func
		for _, scale := range scales {
			of, ok, err := s.responses(ctx, prod, scale)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			f, _, err := s.ProfileOf(ctx, of)
			if err != nil {
				return nil, err
			}
			fs = append(fs, f)
		}
		if len(fs) == 0 {
			return nil, nil
		}
		return profile.FromAbove(fs...), nil
	}}
}

// responses returns a product of approximate randomized responses that dominates prod, for a δ of about 2^−scale. It
// reports false if some factor has none.
func (s *Solver) responses(ctx context.Context, prod pair.Product, scale int) (pair.Product, bool, error) {
	count := int64(0)
	for _, t := range prod {
		count += min(t.Count, 1<<40)
	}
	delta := interval.Pow2(-scale - 1 - bits.Len64(uint64(count)))
	var out pair.Product
	for _, t := range prod {
		r, ok := t.Pair.(pair.Response)
		if !ok {
			aim := new(big.Rat).Set(delta) // above the mass of infinite loss, which no ε makes less
			for _, x := range []pair.Pair{t.Pair, t.Pair.Reverse()} {
				if m, ok := pair.InfMass(pair.Product{{Pair: x, Count: 1}}); ok && new(big.Rat).Add(delta, m).Cmp(aim) > 0 {
					aim.Add(delta, m)
				}
			}
			var err error
			if r, ok, err = s.Response(ctx, t.Pair, aim); !ok || err != nil {
				return nil, false, err
			}
		}
		out = append(out, pair.Term{Pair: r, Count: t.Count})
	}
	return out.Merged(), true, nil
}

// Response returns the approximate randomized response that dominates a pair, with an ε at which the profiles of both
// orientations are about delta at most: a search among a few ε, each of which is one.
func (s *Solver) Response(ctx context.Context, x pair.Pair, delta *big.Rat) (pair.Response, bool, error) {
	orientations := []pair.Pair{x}
	if !x.SelfDual() {
		orientations = append(orientations, x.Reverse())
	}
	var fs []profile.Func
	for _, o := range orientations {
		f, sol, err := s.ProfileOf(ctx, pair.Product{{Pair: o, Count: 1}})
		if err != nil {
			return pair.Response{}, false, err
		}
		if _, ok := sol.On(FromAbove); !ok {
			return pair.Response{}, false, nil
		}
		fs = append(fs, f)
	}
	greatest := profile.Max(fs...)
	at := func(eps *big.Rat) (*big.Rat, error) {
		y, err := greatest(ctx, responseBits, interval.RealRat(eps))
		if hi, ok := y.UpperRat(); ok {
			return hi, err
		}
		return big.NewRat(1, 1), err
	}
	eps, most, ok, err := response.Enough(at, delta)
	return pair.Response{Eps: eps, Delta: most}, ok, err
}
