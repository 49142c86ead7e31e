// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/method"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// visibly is the pair of a with probability share and of b otherwise, as one list of outcomes.
func visibly(share *big.Rat, a, b [2][]*big.Rat) pair.Finite {
	var sides [2][]*big.Rat
	for i := range sides {
		for _, x := range a[i] {
			sides[i] = append(sides[i], new(big.Rat).Mul(share, x))
		}
		for _, x := range b[i] {
			sides[i] = append(sides[i], new(big.Rat).Mul(new(big.Rat).Sub(rat("1"), share), x))
		}
	}
	return pair.NewFinite(sides[0], sides[1])
}

// TestRareByOutcomes: copies of a pair that is one of two visibly, beside another factor, against the list of all
// outcomes: of rare pairs of which most numbers are left out, and of others of which none is.
func TestRareByOutcomes(t *testing.T) {
	ctx := context.Background()
	a, b := [2][]*big.Rat{rats("1/10", "3/5", "3/10"), rats("1/2", "1/5", "3/10")}, [2][]*big.Rat{rats("2/3", "1/3"), rats("1/4", "3/4")}
	other := pair.Term{Pair: pair.NewFinite(rats("3/4", "1/4"), rats("2/3", "1/3")), Count: 1}
	for _, c := range []struct {
		share string
		n     int64
		scale string
	}{{"1/3", 3, ""}, {"1/3", 1, ""}, {"1/100000", 5, ""}, {"1e-12", 5, ""}, {"1/20", 5, "0.9"}, {"1e-30", 5, "1e-9"}} {
		var scale *big.Rat
		if c.scale != "" {
			scale = rat(c.scale)
		}
		share := rat(c.share)
		rest := new(big.Rat).Sub(rat("1"), share)
		x := pair.Mean{Shares: []*big.Rat{share, rest}, Of: []pair.Product{pair.Copies(pair.NewFinite(a[0], a[1]), 1), pair.Copies(pair.NewFinite(b[0], b[1]), 1)}}
		plan := method.Rare(method.NewSolver(method.All, 0, scale), pair.Product{other, {Pair: x, Count: c.n}}, 0)
		if c.share == "1/20" {
			if plan != nil {
				t.Errorf("share %s: the pair counts as rare", c.share)
			}
			continue
		}
		f, err := plan.Prepare(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := method.NewSolver(method.All, 0, nil).ProfileOf(ctx, pair.Product{other, {Pair: visibly(share, a, b), Count: c.n}})
		if err != nil {
			t.Fatal(err)
		}
		for _, eps := range []string{"-1", "0", "1/7", "1/2", "1", "5/2"} {
			got, err := f(ctx, 64, interval.RealRat(rat(eps)))
			y, err2 := want(ctx, 64, interval.RealRat(rat(eps)))
			_, agree := interval.Intersect(got, y)
			if err != nil || err2 != nil || !agree || got.RelativeBits(64) < 20 || y.RelativeBits(64) < 40 {
				t.Errorf("share %s, %d copies: δ(%s) = %s, want %s (%v, %v)", c.share, c.n, eps, got, y, err, err2)
			}
		}
	}
}

// TestRarelyFull: compositions of truncated samples that are hardly ever full are known to many digits, and agree with
// their grids.
func TestRarelyFull(t *testing.T) {
	testkit.SkipUsual(t, "TestRareByOutcomes has the same method")
	sample := mechanism.TruncatedSubsampledGaussian{DatasetSize: 60, SamplingProbability: rat("1/50"), TruncatedBatchSize: 40, NoiseMultiplier: rat("1")}
	q := Question{Event: mechanism.SelfComposed{Event: sample, Count: 3}, Direction: mechanism.Remove}
	r, err := Delta(context.Background(), q, rat("1/2"), 0)
	if err != nil || r.RelativeBits(64) < 40 {
		t.Errorf("δ(1/2) ∈ %s, %v", r.Interval, err)
	}
	together(t, q, "1/2", "rare", "pld")
}
