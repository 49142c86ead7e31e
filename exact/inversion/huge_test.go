// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"math/big"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
)

// TestHugeLosses: where losses are so large that M(−λ) is huge for every λ that is
// tried, parameters are still parameters of a line with Re s < 0.
func TestHugeLosses(t *testing.T) {
	testkit.SkipShort(t)
	for _, mu2 := range []int64{10000, 10000000, 1000000}[:testkit.Cases(1, 3)] {
		for _, count := range []int64{1, 1000000 / mu2} {
			if count == 0 {
				continue
			}
			g := pair.Gaussian{Mu2: big.NewRat(mu2, 1)}
			x, ok := New(pair.Product{{Pair: g, Count: count}})
			if !ok {
				t.Fatalf("no transform of %s", g)
			}
			tails, _ := closed.PairTails(pair.Gaussian{Mu2: big.NewRat(mu2*count, 1)})
			for _, eps := range []*big.Rat{big.NewRat(-2, 1), big.NewRat(1, 3)} {
				e := interval.RealRat(eps)
				y, err := x.Delta(t.Context(), 64, e)
				want := tails.Delta(64, e)
				if _, ok := interval.Intersect(y, want); err != nil || !ok {
					t.Errorf("%d × %s: δ(%s) in %s, %v, want %s", count, g, eps.RatString(), y, err, want)
				}
			}
		}
	}
}

// TestLinesAreLeftOfZero: (1) holds for Re s < 0, whatever δ is thought to be.
func TestLinesAreLeftOfZero(t *testing.T) {
	x, ok := New(pair.Product{{Pair: pair.Gaussian{Mu2: big.NewRat(1000000, 1)}, Count: 1}})
	if !ok {
		t.Fatal("no transform")
	}
	for _, logDelta := range []int64{-1000, -1, 0, 1, 100, 100000} {
		if c, ok := x.choose(64, neighbourhood{center: new(big.Rat), quantum: x.quantum, logDelta: float64(logDelta), saddle: 1}); ok && c.lambda.Sign() <= 0 {
			t.Errorf("log δ = %d: λ = %s", logDelta, c.lambda.RatString())
		}
	}
}
