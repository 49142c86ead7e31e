// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// subsetOfMoreCases are mechanisms on all samples of one or two of the records 1, 2, 3 and x.
var subsetOfMoreCases = generator[subsetCase]{
	draw: func(r *rand.Rand) subsetCase {
		c := subsetCase{1 + r.Intn(2), map[string][]*big.Rat{}}
		n := 2 + r.Intn(2)
		for _, s := range samplesOf("123x", c.M) {
			w := make([]*big.Rat, n)
			for i := range w {
				w[i] = drawWeight(r)
			}
			w[r.Intn(n)] = one
			c.Out[s] = normalised(w)
		}
		return c
	},
	shrink: func(c subsetCase) []subsetCase { return nil },
}

// Zhu, Dong & Wang 2022, Theorem 11(2): a mechanism on all samples of m records, of the n − 1 records without x and of
// the n with it; the pair of the greatest profile over samples that differ in one replaced record. Removing x is
// dominated by ((1−γ)Q + γP, Q), γ = m/n, and adding it by the reverse, at all α ≥ 0, of the pairs that Resolve returns
// for the finite pair.
func TestTheorem11SubsetSampling(t *testing.T) {
	forAll(t, 60, subsetOfMoreCases, func(c subsetCase) error {
		const without, with = "123", "123x"
		mean := func(records string) []*big.Rat {
			sets := samplesOf(records, c.M)
			var sum []*big.Rat
			for _, s := range sets {
				for i, p := range c.Out[s] {
					if i == len(sum) {
						sum = append(sum, new(big.Rat))
					}
					sum[i] = add(sum[i], quo(p, big.NewRat(int64(len(sets)), 1)))
				}
			}
			return sum
		}
		var base pair.Finite
		first := true
		all := samplesOf(with, c.M)
		for _, s := range all {
			for _, u := range all {
				if !neighbours(s, u) {
					continue
				}
				f := pair.NewFinite(c.Out[s], c.Out[u])
				if !first {
					f = base.Max(f)
				}
				base, first = f, false
			}
		}
		if first {
			return nil
		}
		if !base.SelfDual() {
			return fmt.Errorf("the greatest over both orders of replaced records is not self-dual: %s", base)
		}
		e := mechanism.SampledWithoutReplacement{SourceDatasetSize: int64(len(with)), SampleSize: int64(c.M), Event: finiteModel(base).event()}
		prob, err := meaning.Resolve(e, mechanism.AddOrRemoveOne)
		if err != nil {
			return err
		}
		for d, truth := range map[mechanism.Direction]pair.Finite{
			mechanism.Remove: pair.NewFinite(mean(with), mean(without)),
			mechanism.Add:    pair.NewFinite(mean(without), mean(with)),
		} {
			b, err := prob.Profile(d)
			if err != nil || len(b.Upper) != 1 {
				return fmt.Errorf("%v: %+v, %v", d, b, err)
			}
			if len(b.Upper[0]) == 0 { // nothing depends on the record
				b.Upper[0] = pair.Product{{Pair: pair.NewFinite([]*big.Rat{one}, []*big.Rat{one}), Count: 1}}
			}
			bound, ok := b.Upper[0].Expand(100)
			if !ok {
				return fmt.Errorf("%v: %s is not finite", d, b.Upper[0])
			}
			if alpha, excess := bound.Excess(truth); excess.Sign() > 0 {
				return fmt.Errorf("%v: the mechanism exceeds %s at α = %s by %s", d, bound, alpha.RatString(), excess.RatString())
			}
		}
		return nil
	})
}

// TestTheorem11SubsetAttained: data of equal records, and noise on their sum: the bound is what happens, for Gaussian
// noise with the distance of a replaced record.
func TestTheorem11SubsetAttained(t *testing.T) {
	e := mechanism.SampledWithoutReplacement{SourceDatasetSize: 10, SampleSize: 3, Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(2, 1)}}
	prob, err := meaning.Resolve(e, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	b, err := prob.Profile(mechanism.Remove)
	if err != nil || !b.Attained || len(b.Upper) != 1 || b.Upper[0].String() != "(Sampled(3/10, (Gaussian(μ²=1))))" {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err = prob.Profile(mechanism.Add); err != nil || b.Upper[0].String() != "(Sampled(3/10, (Gaussian(μ²=1)))ᵀ)" {
		t.Errorf("%+v, %v", b, err)
	}
}
