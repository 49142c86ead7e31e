// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"

	"dpverify/exact/interval"
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
// A record added or removed, from above. Reveal A. Without it the others are a batch, and the record
// joins it with probability q: the pair ((1−q)Q + qP, Q) of a Gaussian at distance 1. With it, condition on the
// batch of B others that there would be without the record, and on the one of them that the record would replace. The
// batch is a uniformly random set whatever K is, so the record comes in with probability s/π: the same at distance
// 2. H_α is jointly convex.
//
// Rounding. The bound is π·h₂(s/π) + (1 − π)·h₁(q), h_d(t) that of a sample at rate t and distance d. It rises
// with s, and does not with π: for the best event E of the first term, P(E) ≥ Q(E), its derivative is (1−α)·Q(E) −
// h₁(q) ≤ −q·(P₁(E) − Q(E)) ≤ 0; the other way round, P(E) ≤ Q(E), it is (1−α)·Q(E) − h₁(q) ≤ α·q·(P₁(E) − Q(E)) ≤ 0.
//
// From below. All others null: the Poisson sample at the rate r = (1−π)q + s. All others
// opposite to the record: a batch on a line, see Opposed.
//
// Of two records that replace each other, one may be null. The batch has the record's place with probability r,
// and is the same otherwise: H_α ≤ (1−r)(1−α)₊ + r·H_α of the Gaussian, by joint convexity; below,
// all others null.
func (r *resolver) truncatedSample(e mechanism.TruncatedSubsampledGaussian) (meaning, error) {
	n, q, size := e.DatasetSize, e.SamplingProbability, e.TruncatedBatchSize
	if n == 0 || q.Sign() == 0 || size == 0 {
		return neutral(), nil
	}
	mu := new(big.Rat).Inv(e.NoiseMultiplier)
	gaussian := func(distance int64) Product {
		m := new(big.Rat).Mul(mu, new(big.Rat).SetInt64(distance))
		return Product{{Gaussian{m.Mul(m, m)}, 1}}
	}
	const p = interval.Prec(batchBits + 64)
	full := binomialAtLeast(p, n-1, size, q)
	share := full // s
	if !full.IsZero() {
		share = p.Mul(p.Rat(big.NewRat(size, n)), binomialAtLeast(p, n, size+1, q))
	}
	rateOf := func(full, share interval.Interval) interval.Interval {
		return interval.Clamp(p.Add(p.Mul(p.Sub(interval.Int(1), full), p.Rat(q)), share), 0, 1)
	}
	least, most := ends(rateOf(full, share))
	if full.IsZero() {
		least, most = q, q
	}
	switch r.rel {
	case mechanism.AddOrRemoveOne:
	case mechanism.ReplaceSpecial, mechanism.ReplaceOne:
		if r.rel == mechanism.ReplaceOne {
			lower := Product{{SampledReplaceGaussian{least, new(big.Rat).Mul(mu, mu)}, 1}}
			return between(Product{{Mixed{most, gaussian(2)}, 1}}, lower), nil
		}
		return between(Product{{Mixed{most, gaussian(1)}, 1}}, samplePoisson(least, gaussian(1))), nil
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	whole := func(rate *big.Rat, distance int64) Pair {
		if rate.Cmp(ratOne) >= 0 {
			return gaussian(distance)[0].Pair
		}
		return Sampled{Rate: rate, Base: gaussian(distance)}
	}
	if full.IsZero() { // never more than B
		return exactly(Product{{whole(q, 1), 1}}), nil
	}
	revealed, _ := ends(full)
	_, in := ends(share)
	_, rate := ends(interval.Clamp(p.Rat(in.Quo(in, revealed)), 0, 1))
	upper := whole(rate, 2)
	if revealed.Cmp(ratOne) < 0 {
		upper = Either{revealed, upper, whole(q, 1)}
	}
	some := []Product{{{whole(least, 1), 1}}}
	if size <= maxOpposed {
		some = append(some, Product{{Opposed{Records: n, Rate: q, Batch: size, Mu: mu}, 1}})
	}
	return between(Product{{upper, 1}}, some...), nil
}

// ends returns rationals of batchBits bits or so just below and just above a number in [0, 1], and within.
func ends(x interval.Interval) (lo, hi *big.Rat) {
	a, b, _ := interval.Prec(batchBits).Round(x).Rationals()
	return a, b
}

// maxOpposed bounds the batch of an Opposed.
const maxOpposed = 32

// Opposed is a truncated Poisson sample of Gaussian noise where all other records have the value −1, and the
// record 1, in units of its norm: with K others sampled, N(−min(K, B)·μ, 1) without the record, and with it, if it is
// sampled, N((1 − K)·μ, 1) for K < B, and for K ≥ B N((2 − B)·μ, 1) if it is kept. It bounds from below.
type Opposed struct {
	Records  int64
	Rate     *big.Rat
	Batch    int64
	Mu       *big.Rat
	Reversed bool
}

func (o Opposed) String() string {
	return fmt.Sprintf("Opposed(%d, %s, %d, μ=%s)%s", o.Records, o.Rate.RatString(), o.Batch, o.Mu.RatString(), reversedMark(o.Reversed))
}
func (o Opposed) Reverse() Pair {
	o.Reversed = !o.Reversed
	return o
}
func (Opposed) SelfDual() bool            { return false }
func (o Opposed) isReversed() bool        { return o.Reversed }
func (Opposed) Kind() Kind                { return Unlisted }
func (Opposed) parts() []Product          { return nil }
func (Opposed) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (Opposed) reach() reach              { return unknownReach() }

// Outcomes: it has none to list.
func (Opposed) Outcomes(interval.Prec, int) ([]Outcome, interval.Interval, bool) { return notListed() }

// Dominated returns the outcomes of a post-processing: the line cut into cells, of an eighth of the
// noise each, and its ends.
func (o Opposed) Dominated(p interval.Prec) []Outcome {
	w := p + 16
	const perUnit, reach = 8, 12
	mu := w.Rat(o.Mu)
	top, _ := w.Mul(mu, interval.Int(o.Batch)).Hi().Int64()
	if top > 1<<8 {
		return nil
	}
	// ps and qs are the weights of −i and with[i] that of 1 − i (2 − B for i = B).
	var ps, qs, with []interval.Interval
	q, rest := w.Rat(o.Rate), w.Rat(new(big.Rat).Sub(ratOne, o.Rate))
	for k := range o.Batch {
		m := interval.Int(0)
		switch {
		case o.Rate.Cmp(ratOne) == 0:
			if k == o.Records-1 {
				m = interval.Int(1)
			}
		case k < o.Records:
			m = binomialMass(w, o.Records-1, k, o.Rate)
		}
		qs, ps, with = append(qs, m), append(ps, w.Mul(rest, m)), append(with, w.Mul(q, m))
	}
	full := binomialAtLeast(w, o.Records-1, o.Batch, o.Rate)
	in := w.Mul(w.Rat(big.NewRat(o.Batch, o.Records)), binomialAtLeast(w, o.Records, o.Batch+1, o.Rate))
	qs, ps, with = append(qs, full), append(ps, interval.Max(interval.Int(0), w.Sub(full, in))), append(with, in)
	below := func(x interval.Interval) (p, q interval.Interval) { // the masses below x
		p, q = interval.Int(0), interval.Int(0)
		for i := range qs {
			at := w.NormalCDF(w.Add(x, w.Mul(mu, interval.Int(int64(i)))))
			shift := int64(1 - i)
			if int64(i) == o.Batch {
				shift = 2 - o.Batch
			}
			p = w.Add(p, w.Mul(ps[i], at))
			q = w.Add(q, w.Mul(qs[i], at))
			p = w.Add(p, w.Mul(with[i], w.NormalCDF(w.Sub(x, w.Mul(mu, interval.Int(shift))))))
		}
		return p, q
	}
	end, _ := mu.Hi().Int64()
	var out []Outcome
	zero, one := interval.Int(0), interval.Int(1)
	lastP, lastQ := zero, zero
	add := func(p, q interval.Interval) {
		x := Outcome{P: interval.Max(zero, w.Sub(p, lastP)), Q: interval.Max(zero, w.Sub(q, lastQ))}
		if o.Reversed {
			x.P, x.Q = x.Q, x.P
		}
		if x.P.Positive() == interval.True && x.Q.Positive() == interval.True {
			out = append(out, x)
		}
		lastP, lastQ = p, q
	}
	for i := (-top - reach) * perUnit; i <= (end+1+reach)*perUnit; i++ {
		add(below(w.Rat(big.NewRat(i, perUnit))))
	}
	add(one, one)
	return out
}
