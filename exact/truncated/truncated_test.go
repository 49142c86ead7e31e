// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package truncated

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/exact/pair/normals"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// noisy is the law of the outputs with the values of all records, the first of which is the record: of each subset, cut
// to a random one of the size of a batch, the sum.
func noisy(e mechanism.TruncatedSubsampledGaussian, mu *big.Rat, values []*big.Rat) normals.Mixture {
	var means, probs []*big.Rat
	n, size := len(values), int(e.TruncatedBatchSize)
	for sampled := range 1 << n {
		weight, batch := big.NewRat(1, 1), []int(nil)
		for i := range n {
			f := new(big.Rat).Sub(ratOne, e.SamplingProbability)
			if sampled>>i&1 == 1 {
				f, batch = e.SamplingProbability, append(batch, i)
			}
			weight.Mul(weight, f)
		}
		for _, kept := range subsets(batch, size) {
			sum := new(big.Rat)
			for _, i := range kept {
				sum.Add(sum, values[i])
			}
			means = append(means, sum.Mul(sum, mu))
			probs = append(probs, new(big.Rat).Quo(weight, big.NewRat(int64(len(subsets(batch, size))), 1)))
		}
	}
	return normals.New(means, probs)
}

// subsets are those of a size, or all of a list that is not longer.
func subsets(of []int, size int) [][]int {
	if len(of) <= size {
		return [][]int{of}
	}
	if size == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, rest := range subsets(of[1:], size-1) {
		out = append(out, append([]int{of[0]}, rest...))
	}
	return append(out, subsets(of[1:], size)...)
}

func profileOf(t *testing.T, x pair.Pair, w interval.Prec, eps *big.Rat) interval.Interval {
	t.Helper()
	tails, ok := closed.PairTails(x)
	if !ok {
		t.Fatalf("%v has no tails", x)
	}
	arg := closed.RatArg(w, eps)
	p, q := tails(w, arg)
	return interval.Clamp(w.Sub(p, w.Mul(w.Exp(arg.Interval), q)), 0, 1)
}

// TestReplacedInBatches: no values of the others, of the record and of the one that replaces it have a greater δ than
// the pair that bounds them, at any ε, below 0 too, and at few bits.
func TestReplacedInBatches(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	near := 0
	for range testkit.Draws(30, 80, 80) {
		n := 2 + r.Intn(3)
		e := mechanism.TruncatedSubsampledGaussian{DatasetSize: int64(n), SamplingProbability: big.NewRat(int64(1+r.Intn(8)), 8),
			TruncatedBatchSize: int64(1 + r.Intn(n)), NoiseMultiplier: big.NewRat(int64(1+r.Intn(8)), 4)}
		mu := new(big.Rat).Inv(e.NoiseMultiplier)
		values := make([]*big.Rat, n)
		for i := range values {
			if values[i] = big.NewRat(int64(r.Intn(9)-4), 4); r.Intn(3) > 0 {
				values[i] = big.NewRat(int64(2*r.Intn(2)-1), 1)
			}
		}
		p := noisy(e, mu, values)
		values[0] = new(big.Rat).Neg(values[0])
		if r.Intn(3) == 0 {
			values[0] = big.NewRat(int64(r.Intn(9)-4), 4)
		}
		q := noisy(e, mu, values)
		x := pair.NewGaussianMixture(p, q)
		if x == nil {
			continue
		}
		c := New(e)
		bound := c.ReplacedAlone(e.SamplingProbability)
		if !c.NeverFull() {
			bound = c.Replaced()
		}
		for k := range 5 {
			eps := big.NewRat(int64(3*(k-2)), 2)
			w := interval.Prec([]uint{6, 60, 128}[r.Intn(3)])
			below, above := profileOf(t, x, w, eps), profileOf(t, bound, w, eps)
			if below.Lo().Cmp(above.Hi()) > 0 {
				t.Errorf("%+v, values %v: δ(%v) = %v, bounded by %v", e, values, eps, below, above)
			}
			if w > 60 && k > 2 && below.Lo().Cmp(w.Mul(above, w.Rat(big.NewRat(9, 10))).Hi()) > 0 {
				near++
			}
		}
	}
	if near < 4 {
		t.Errorf("%d of the bounds are within a tenth, want 4", near)
	}
}

// TestRateOfRecordIsAttained: with others that are null, a record that is replaced is in the batch at the rate of
// Sample.
func TestRateOfRecordIsAttained(t *testing.T) {
	for _, n := range []int64{2, 3, 5} {
		e := mechanism.TruncatedSubsampledGaussian{DatasetSize: n, SamplingProbability: big.NewRat(1, 3),
			TruncatedBatchSize: 1, NoiseMultiplier: big.NewRat(1, 1)}
		values := []*big.Rat{big.NewRat(1, 1)}
		for range n - 1 {
			values = append(values, new(big.Rat))
		}
		m, c := noisy(e, big.NewRat(1, 1), values), New(e)
		rate, gap := c.Rate(), new(big.Rat)
		if gap.Sub(m.Probs[1], rate); gap.Sign() < 0 || gap.Cmp(interval.Pow2(-200)) > 0 {
			t.Errorf("of %d records: rate %v, want %v", n, rate, m.Probs[1])
		}
	}
}

// TestSamplesAreSeen: a bound of a sample at a rate below 1 is a mean with a Poisson sample of a replaced record, by
// which samples of it are known to be no more than bounded.
func TestSamplesAreSeen(t *testing.T) {
	for _, q := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 1<<40), big.NewRat(1<<40-1, 1<<40)} {
		for n := int64(2); n < 7; n++ {
			s := New(mechanism.TruncatedSubsampledGaussian{DatasetSize: n, SamplingProbability: q,
				TruncatedBatchSize: 1, NoiseMultiplier: big.NewRat(1, 1)})
			mean, ok := s.Replaced().(pair.Mean)
			if !ok || len(mean.Of) != 2 || mean.Of[1].String() != pair.Copies(s.ReplacedAlone(q), 1).String() {
				t.Errorf("%d records at %v: %v", n, q, s.Replaced())
			}
		}
	}
}

// TestHardlyEverFull: of batches that are full so rarely that no rational number says how rarely, and of those that are
// nearly always full, there is a bound at least as great as what is sampled alone, in both kinds.
func TestHardlyEverFull(t *testing.T) {
	for _, c := range []struct {
		n, size int64
		q       *big.Rat
	}{{1e12, 6e4, big.NewRat(1, 1e15)}, {1e12, 1, big.NewRat(1, 2)}, {1e6, 1, big.NewRat(1, 2)}, {60000, 50000, big.NewRat(256, 60000)}} {
		s := New(mechanism.TruncatedSubsampledGaussian{DatasetSize: c.n, SamplingProbability: c.q,
			TruncatedBatchSize: c.size, NoiseMultiplier: big.NewRat(1, 1)})
		if s.NeverFull() || s.Rate().Sign() <= 0 || s.Rate().Cmp(c.q) > 0 {
			t.Errorf("%+v: rate %v", c, s.Rate())
		}
		for _, x := range []pair.Pair{s.Replaced(), s.Removed(false), s.Removed(true)} {
			m, ok := x.(pair.Mean)
			if !ok || m.Shares[0].Sign() <= 0 || m.Of[0].String() == m.Of[1].String() {
				t.Errorf("%+v: %v", c, x)
				continue
			}
			for _, share := range m.Shares {
				if share.Sign() <= 0 || share.Cmp(ratOne) >= 0 {
					t.Errorf("%+v: a share of %v", c, share)
				}
			}
		}
	}
}
