// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Factors chooses a bucket factor for the leaf of every pair of a product, such that
// trees of them compose: all are one η times powers of two. Buckets −n to n then just
// cover the finite losses L, but for P_A-mass of 2^−bits above and P_B-mass of 2^−bits below,
// which bucket −n would take the error correction from; the adaptive squaring of Policy
// (§4.6, Figure 10) coarsens them from there on. Where losses are bounded by a rational
// number, that is a border: §5.1 for Laplace noise. It reports false for pairs that have
// no leaf.
//
// The choice affects width, never soundness.
func Factors(prod pair.Product, n, bits int) ([]*big.Rat, bool) {
	out := make([]*big.Rat, len(prod))
	var least *big.Rat
	for i, t := range prod {
		r, ok := lossRange(t.Pair, bits)
		if !ok {
			return nil, false
		}
		if low, ok := lossRange(t.Pair.Reverse(), bits); ok && low.Cmp(r) > 0 {
			r = low
		}
		out[i] = r.Quo(r, new(big.Rat).SetInt64(int64(n)))
		if least == nil || out[i].Cmp(least) < 0 {
			least = out[i]
		}
	}
	two := big.NewRat(2, 1)
	for i, eta := range out {
		x := new(big.Rat).Set(least)
		for x.Cmp(eta) < 0 {
			x.Mul(x, two)
		}
		out[i] = x
	}
	return out, true
}

// lossRange returns some r > 0 with P(r < L < ∞) ≤ 2^−bits, about the least one or the
// largest finite loss. Nothing rests on it.
func lossRange(x pair.Pair, bits int) (*big.Rat, bool) {
	w := interval.Prec(bits + 32)
	var far func(r *big.Rat) bool
	if tails, ok := closed.PairTails(x); ok {
		most, _ := tails(w, closed.RatArg(w, new(big.Rat).SetInt64(1<<40)))
		far = func(r *big.Rat) bool {
			p, _ := tails(w, closed.RatArg(w, r))
			return w.Sub(p, most).LessEq(w.Scale(interval.Int(1), -bits)) != interval.True
		}
	} else if os, _, ok := x.Outcomes(w, maxOutcomes); ok {
		far = func(r *big.Rat) bool {
			above := interval.Int(0)
			for _, o := range os {
				if !o.P.IsZero() && !o.Q.IsZero() && w.Log(w.Div(o.P, o.Q)).LessEqRat(r) != interval.True {
					above = w.Add(above, o.P)
				}
			}
			return above.LessEq(w.Scale(interval.Int(1), -bits)) != interval.True
		}
	} else {
		return nil, false
	}
	var top *big.Rat
	if l, ok := pair.MaxLoss(pair.Product{{Pair: x, Count: 1}}); ok {
		if r, ok := l.Rat(); ok && r.Sign() > 0 && r.Num().BitLen()+r.Denom().BitLen() <= 128 {
			top = r
		}
	}
	r := profile.Edge(far, 1, 5)
	if least := interval.Pow2(-60); r.Cmp(least) < 0 {
		r = least
	}
	if top != nil && top.Cmp(r) < 0 {
		return new(big.Rat).Set(top), true
	}
	return r, true
}
