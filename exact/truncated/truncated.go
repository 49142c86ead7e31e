// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package truncated bounds Gaussian noise on truncated Poisson samples by pairs. docs/theorems.md has the theorems,
// "Truncated Poisson samples" and "Truncated Poisson samples: a record that is replaced".
package truncated

import (
	"math/big"

	"dpverify/exact/binomial"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/mechanism"
)

// bits is the precision of probabilities that a pair of a truncated sample is made of: they are rounded to multiples
// of 2^−bits or so, in the direction that is sound.
const bits = 256

var ratOne = big.NewRat(1, 1)

// A Sample is a truncated Poisson sample, and how often the others fill it. Let A say that at least B of the other n
// − 1 records are sampled, π = P(A). The record is sampled with probability q, and kept, if A holds, with probability
// B/(K + 1) of K ≥ B others: in all with probability s = (B/n)·P(Bin(n, q) > B) together with A.
type Sample struct {
	of          mechanism.TruncatedSubsampledGaussian
	mu          *big.Rat
	full, share interval.Interval // π and s
}

// New takes a sample of n ≥ 1 records into batches of B ≥ 1, q > 0.
func New(e mechanism.TruncatedSubsampledGaussian) Sample {
	const p = interval.Prec(bits + 64)
	n, size, q := e.DatasetSize, e.TruncatedBatchSize, e.SamplingProbability
	s := Sample{of: e, mu: new(big.Rat).Inv(e.NoiseMultiplier), full: binomial.AtLeast(p, n-1, size, q)}
	if !s.full.IsZero() {
		s.share = p.Mul(p.Rat(big.NewRat(size, n)), binomial.AtLeast(p, n, size+1, q))
	}
	return s
}

// NeverFull reports that there are never more than B, so that it is a Poisson sample.
func (s Sample) NeverFull() bool { return s.full.IsZero() }

// Rate is at most the probability that the record is in the batch, r = (1 − π)q + s.
func (s Sample) Rate() *big.Rat {
	q := s.of.SamplingProbability
	if s.NeverFull() {
		return q
	}
	const p = interval.Prec(bits + 64)
	least, _ := ends(interval.Clamp(p.Add(p.Mul(p.Sub(interval.Int(1), s.full), p.Rat(q)), s.share), 0, 1))
	return least
}

// weights are those of a batch that the others leave one place in, or fill, relative to near, the probability of such
// a one: of P at the last of the others, without it, and at the record. The record takes the free place with the
// weight joins, and is in a full batch with the weight in. π and w, the probability of one free place, are rounded
// down, and s up.
func (s Sample) weights() (of [3]*big.Rat, joins, in, near *big.Rat) {
	q := s.of.SamplingProbability
	filled, _ := ends(s.full)
	_, in = ends(s.share)
	room := new(big.Rat)
	if q.Cmp(ratOne) < 0 {
		room, _ = ends(binomial.Mass(bits+64, s.of.DatasetSize-1, s.of.TruncatedBatchSize-1, q))
	}
	if room.Cmp(rarest) < 0 { // down, as w
		room = new(big.Rat)
	}
	near = new(big.Rat).Add(room, filled)
	if q.Cmp(ratOne) < 0 && near.Cmp(ratOne) >= 0 { // a batch of one; that it is a sample has to be seen
		less := new(big.Rat).Sub(ratOne, interval.Pow2(-bits+1))
		for _, x := range []*big.Rat{room, filled} {
			x.Mul(x, less).Quo(x, near)
		}
		near = less
	}
	for _, x := range []*big.Rat{filled, in, room} {
		x.Quo(x, near)
	}
	joins = new(big.Rat).Mul(q, room)
	of = [3]*big.Rat{new(big.Rat).Sub(filled, in), new(big.Rat).Sub(room, joins), new(big.Rat).Add(joins, in)}
	return of, joins, in, near
}

// Removed bounds a record that is added or removed, or replaced by a null one, from above. Put the others in random
// order, so that a batch of k of them is the first k. Reveal the order, and whether at least B − 1 of them are
// sampled.
//
//   - If not, the record joins them with probability q: the pair ((1−q)Q + qP, Q) of a Gaussian at distance 1.
//   - If so, let w = P(B − 1 are sampled). The record is with the first B − 1 with probability qw + s.
//     Otherwise, and in its absence, the batch is those, or one more. Where the record is absent it is those with
//     probability w, and where a null record has its place, with w + s. See [pair.FullBatch].
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
func (s Sample) Removed(null bool) pair.Pair {
	alone := pair.Sampled{Rate: s.of.SamplingProbability, Base: pair.Copies(pair.Gaussian{Mu2: s.square()}, 1)}
	if s.full.LessEqRat(rarest) == interval.True {
		return s.hardlyEver(alone, rarest)
	}
	of, joins, in, near := s.weights()
	f := pair.FullBatch{P: of, Mu: s.mu, Of: &pair.Batch{Records: s.of.DatasetSize, Rate: s.of.SamplingProbability,
		Size: s.of.TruncatedBatchSize, Mu: s.mu, Null: null}}
	room := new(big.Rat).Add(of[1], joins)
	switch {
	case room.Sign() > 0:
	case null: // hidden by nothing but whether it is kept
		return orAlone(pair.Mixed(in, pair.Copies(pair.Gaussian{Mu2: s.square()}, 1)), near, alone)
	default: // w = 0: one of others that are opposite leaves
		twice := pair.Gaussian{Mu2: new(big.Rat).Mul(big.NewRat(4, 1), s.square())}
		return orAlone(pair.Sampled{Rate: in, Base: pair.Copies(twice, 1)}, near, alone)
	}
	f.Q = [2]*big.Rat{new(big.Rat).Add(of[0], in), room}
	if null {
		f.Q = [2]*big.Rat{of[0], room.Add(room, in)}
	}
	return orAlone(f, near, alone)
}

// Replaced bounds a record x that is replaced by x′ from above. As for Removed, reveal the order of the others and
// whether at least B − 1 of them are sampled.
//
//   - If not, the record joins them with probability q: the Poisson sample of a replaced record.
//   - If so, P has its weights at the last of the others, a, at 0 and at x, and Q the same at a, at 0 and at x′.
//
// Claim. For α ≥ 1 the second is the worst where a = x′ = −x, and for α < 1 where a = x = −x′: the reverse.
//
// Proof. For α ≥ 1 only the weight at x of P − αQ is positive. Seen from x, the others are at a − x, −x and x′ − x,
// and H_α rises with their norms and inner products (Kahane: theorems.md, Truncated Poisson samples: a bound by two
// others), which are all greatest there. For α < 1, H_α(P‖Q) = 1 − α + α·H_{1/α}(Q‖P), where x and x′ change places.
//
// Rounding. For α ≥ 1, F = (1 − w − π)·h + sup E(S) of half-lines S towards x, with h for the first, falls with w and
// π, and rises with s:
//
//	∂F/∂w = −h + q·N(x)(S) − (α−1)(1−q)·N(0)(S) − αq·N(−x)(S) ≤ 0, as h is the greatest of this over all S,
//	∂F/∂π = −h − (α−1)·N(−x)(S) ≤ 0,  ∂F/∂s = N(x)(S) − N(−x)(S) ≥ 0.
func (s Sample) Replaced() pair.Pair {
	alone := s.ReplacedAlone(s.of.SamplingProbability)
	if s.full.LessEqRat(rarest) == interval.True {
		return s.hardlyEver(alone, rarest)
	}
	of, _, _, near := s.weights()
	places := []*big.Rat{new(big.Rat).Neg(s.mu), new(big.Rat), s.mu}
	one := pair.Copies(pair.NewGaussianMixture(normals.New(places, of[:]),
		normals.New(places[:2], []*big.Rat{new(big.Rat).Add(of[0], of[2]), of[1]})), 1)
	return orAlone(pair.MaximumOf([]pair.Product{one, one.Reverse()}), near, alone)
}

// ReplacedAlone is the pair of a Poisson sample of a replaced record.
func (s Sample) ReplacedAlone(rate *big.Rat) pair.Pair {
	if rate.Cmp(ratOne) >= 0 {
		return pair.Gaussian{Mu2: new(big.Rat).Mul(big.NewRat(4, 1), s.square())}
	}
	return pair.SampledReplaceGaussian{Rate: rate, Mu2: s.square()}
}

func (s Sample) square() *big.Rat { return new(big.Rat).Mul(s.mu, s.mu) }

// orAlone is f with the probability near, and alone otherwise.
func orAlone(f pair.Pair, near *big.Rat, alone pair.Pair) pair.Pair {
	if near.Cmp(ratOne) >= 0 {
		return f
	}
	return pair.Mean{Shares: []*big.Rat{near, new(big.Rat).Sub(ratOne, near)},
		Of: []pair.Product{pair.Copies(f, 1), pair.Copies(alone, 1)}}
}

// ends returns rationals of bits bits or so just below and just above a number in [0, 1], and within. Numbers below
// 2^−2^20, which have no rational of a useful length, are between 0 and what [interval.Interval.UpperRat] says.
func ends(x interval.Interval) (lo, hi *big.Rat) {
	x = interval.Prec(bits).Round(x)
	lo, hi, ok := x.Rationals()
	if !ok {
		lo = new(big.Rat)
		hi, _ = x.UpperRat()
	}
	return lo, hi
}

// rarest is 2^−2^14: batches that are full less often are not looked into.
var rarest = interval.Pow2(-1 << 14)

// hardlyEver bounds a sample of which batches are full with a probability of at most share. It shows whether one is:
// if not, it is alone; if so, batches with and without the record differ in one value at most, by at most 2. H_α of
// Gaussian noise at that distance is at least the one of alone, so that the mean rises with share.
func (s Sample) hardlyEver(alone pair.Pair, share *big.Rat) pair.Pair {
	return orAlone(pair.Gaussian{Mu2: new(big.Rat).Mul(big.NewRat(4, 1), s.square())}, share, alone)
}
