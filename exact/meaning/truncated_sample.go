// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// batchBits is the precision of probabilities that a pair of a truncated sample is made of: they are
// rounded to multiples of 2^−batchBits or so, in the direction that is sound.
const batchBits = 256

// truncatedSample resolves the Gaussian mechanism on a truncated Poisson sample of n records, σ in units of C.
//
// Let A say that at least B of the other n − 1 records are sampled, π = P(A). The record is sampled with
// probability q, and kept, if A holds, with probability B/(K + 1) of K ≥ B others: in all with probability s =
// (B/n)·P(Bin(n, q) > B) together with A.
//
// A record added or removed, or replaced by a null one, from above. Put the others in random order, so that a batch of
// k of them is the first k. Reveal the order, and whether at least B − 1 of them are sampled.
//
//   - If not, the record joins them with probability q: the pair ((1−q)Q + qP, Q) of a Gaussian at distance 1.
//   - If so, let w = P(B − 1 are sampled). The record is with the first B − 1 with probability qw + s.
//     Otherwise, and in its absence, the batch is those, or one more. Where the record is absent it is those with
//     probability w, and where a null record has its place, with w + s. See FullBatch.
//
// H_α is jointly convex, so that it is at most the mean of both.
//
// Rounding. Let h be the profile of the sample, and E(S) = P(S) − αQ(S) for α ≥ 1. The bound is
//
//	F(w, π, s) = (1 − w − π)·h(q) + sup E(S) over the sets S and the places a of FullBatch.
//
// Claim. F falls with w and with π, and rises with s.
//
// Proof for α ≥ 1. F is linear in all three. For any S and a,
//
//	∂F/∂w = −h + q·N(x)(S) − (α − 1 + q)·N(0)(S) ≤ 0,  ∂F/∂π = −h + (1 − α)·N(a)(S) ≤ 0.
//
// For the best S, a half-line, and a = −x, ∂F/∂s = N(x)(S) − N(a)(S) ≥ 0. With a null record it is D + (α−1)·N(a)(S),
// D = N(x)(S) − α·N(0)(S), and 0 ≤ E(S) ≤ (qw + s)·D − (α−1)(π − s)·N(a)(S).
//
// Proof for α < 1. Take Q(S) − P(S)/α in the place of E. Then
//
//	∂F/∂w = −h + (1 − (1−q)/α)·N(0)(S) − (q/α)·N(x)(S) ≤ 0,  ∂F/∂π = −h + (1 − 1/α)·N(a)(S) ≤ 0,
//	∂F/∂s = (N(a)(S) − N(x)(S))/α, which is 0 for a = x and positive for a = −x.
//
// With a null record, where a = x, the last one is N(0)(S) − N(x)(S) ≥ 0.
//
// From below. All others null: the Poisson sample at the rate r = (1−π)q + s. All others
// at one place, opposite to the record or at an angle with it: see Opposed.
//
// Of two records that replace each other, the batch has the place with probability r, and is the same otherwise: H_α ≤
// (1−r)(1−α)₊ + r·H_α of the Gaussian, by joint convexity; below, all others null.
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
	const p = interval.Prec(batchBits + 64)
	full := binomial.AtLeast(p, n-1, size, q)
	share := full // s
	if !full.IsZero() {
		share = p.Mul(p.Rat(big.NewRat(size, n)), binomial.AtLeast(p, n, size+1, q))
	}
	rateOf := func(full, share interval.Interval) interval.Interval {
		return interval.Clamp(p.Add(p.Mul(p.Sub(interval.Int(1), full), p.Rat(q)), share), 0, 1)
	}
	least, most := ends(rateOf(full, share)) // r
	if full.IsZero() {
		least, most = q, q
	}
	null := false
	switch r.rel {
	case mechanism.AddOrRemoveOne:
	case mechanism.ReplaceSpecial:
		null = true
	case mechanism.ReplaceOne:
		lower := pair.Copies(pair.SampledReplaceGaussian{Rate: least, Mu2: new(big.Rat).Mul(mu, mu)}, 1)
		return between(pair.Copies(pair.Mixed{Rate: most, Base: gaussian(2)}, 1), lower), nil
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	whole := func(rate *big.Rat, distance int64) pair.Pair {
		if rate.Cmp(ratOne) >= 0 {
			return gaussian(distance)[0].Pair
		}
		return pair.Sampled{Rate: rate, Base: gaussian(distance)}
	}
	if full.IsZero() { // never more than B
		return exactly(pair.Copies(whole(q, 1), 1)), nil
	}
	if q.Cmp(ratOne) == 0 { // always full
		rate := big.NewRat(size, n)
		if null {
			return between(pair.Copies(pair.Mixed{Rate: rate, Base: gaussian(1)}, 1),
				pair.Copies(whole(rate, 1), 1)), nil
		}
		return exactly(pair.Copies(whole(rate, 2), 1)), nil // attained by others that are opposite
	}
	upper := fullBatch(p, e, mu, full, share, null)
	some := []pair.Product{{{Pair: whole(least, 1), Count: 1}}}
	if !null {
		some = append(some, pair.Opposites(e)...)
	}
	return between(pair.Copies(upper, 1), some...), nil
}

// fullBatch bounds a record that is added or removed, or replaced by a null one, from above: full = P(A) and share = s,
// rounded as the proof of truncatedSample says.
func fullBatch(p interval.Prec, e mechanism.TruncatedSubsampledGaussian, mu *big.Rat, full, share interval.Interval,
	null bool) pair.Pair {
	q := e.SamplingProbability
	filled, _ := ends(full)
	_, in := ends(share)
	room, _ := ends(binomial.Mass(p, e.DatasetSize-1, e.TruncatedBatchSize-1, q))
	near := new(big.Rat).Add(room, filled)
	for _, x := range []*big.Rat{filled, in, room} {
		x.Quo(x, near)
	}
	joins := new(big.Rat).Mul(q, room)
	f := pair.FullBatch{Mu: mu, Of: &pair.Batch{Records: e.DatasetSize, Rate: q, Size: e.TruncatedBatchSize,
		Mu: mu, Null: null}}
	f.P = [3]*big.Rat{new(big.Rat).Sub(filled, in), new(big.Rat).Sub(room, joins), new(big.Rat).Add(joins, in)}
	f.Q = [2]*big.Rat{filled, room}
	if null {
		f.Q = [2]*big.Rat{f.P[0], new(big.Rat).Add(room, in)}
	}
	if near.Cmp(ratOne) >= 0 {
		return f
	}
	alone := pair.Sampled{Rate: q, Base: pair.Copies(pair.Gaussian{Mu2: new(big.Rat).Mul(mu, mu)}, 1)}
	return pair.Mean{Shares: []*big.Rat{near, new(big.Rat).Sub(ratOne, near)},
		Of: []pair.Product{pair.Copies(f, 1), pair.Copies(alone, 1)}}
}

// ends returns rationals of batchBits bits or so just below and just above a number in [0, 1], and within.
func ends(x interval.Interval) (lo, hi *big.Rat) {
	a, b, _ := interval.Prec(batchBits).Round(x).Rationals()
	return a, b
}
