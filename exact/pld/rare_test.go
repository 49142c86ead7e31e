// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestRareLosses: where a step's rare losses exceed what fifty steps lose as a rule, cells that are as
// fine as δ wants make a far narrower enclosure, within the wider one; more fraction bits are taken
// for such products only.
func TestRareLosses(t *testing.T) {
	sample := func(q, sigma string, count int64) pair.Product {
		t.Helper()
		rate, _ := new(big.Rat).SetString(q)
		noise, _ := new(big.Rat).SetString(sigma)
		p, err := meaning.Resolve(mechanism.SelfComposed{Event: mechanism.PoissonSampled{SamplingProbability: rate, Event: mechanism.Gaussian{NoiseMultiplier: noise}}, Count: count}, mechanism.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		return p.Dominating()
	}
	grid := func(prod pair.Product, rare Rare) *Grid {
		t.Helper()
		g, ok, err := NewGrid(t.Context(), prod, Settings{Points: 1 << 9, Limit: 1 << 15, Prec: 61, Cut: 40, Rare: rare})
		if err != nil || !ok {
			t.Fatalf("no grid: %v", err)
		}
		return g
	}
	few := sample("0.0032", "0.495", 50)
	delta := func(rare Rare) interval.Interval {
		y, err := grid(few, rare).Delta(t.Context(), 64, interval.RealRat(big.NewRat(643, 100)))
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	const w = interval.Prec(64)
	wide, narrow := delta(Rare{}), delta(Rare{Fine: 10, Prec: 123})
	if _, meet := interval.Intersect(wide, narrow); !meet {
		t.Errorf("%v and %v do not meet", wide, narrow)
	}
	if width := w.Scale(w.Sub(narrow.Upper(), narrow.Lower()), 2); width.LessEq(w.Sub(wide.Upper(), wide.Lower())) != interval.True {
		t.Errorf("%v is not a quarter of %v", narrow, wide)
	}
	// δ far below all float64 ask for cells finer than an int counts.
	if _, ok, err := NewGrid(t.Context(), few, Settings{Points: 1 << 4, Limit: 1 << 10, Prec: 61, Cut: 40, Rare: Rare{Fine: 400, Prec: 500}}); err != nil || !ok {
		t.Errorf("no grid: %v", err)
	}
	if g := grid(few, Rare{Prec: 123}); g.upper.v.Prec() != 123 || g.missing.Positive() != interval.True {
		t.Errorf("masses of rare losses have %d bits, and %v of them are missing", g.upper.v.Prec(), g.missing)
	}
	if got := grid(sample("0.01", "4", 5000), Rare{Fine: 10, Prec: 123}).upper.v.Prec(); got != 61 {
		t.Errorf("masses without rare losses have %d bits", got)
	}
}
