// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pld

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/exact/pair"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

func rat(s string) *big.Rat { return testkit.Rat(s) }

func resolve(t *testing.T, e mechanism.Event) pair.Product {
	t.Helper()
	p, err := meaning.Resolve(e, mechanism.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	return p.Dominating()
}

func hull(numbers ...string) mechanism.DominatingPair {
	var e mechanism.DominatingPair
	for i := 0; i < len(numbers); i += 2 {
		e.Profile = append(e.Profile, mechanism.ProfilePoint{Epsilon: rat(numbers[i]), Delta: rat(numbers[i+1])})
	}
	return e
}

// TestLatticeIndicesOfManyFactorsDoNotOverflow: as above with many factors, each of
// which has an index that fits, and whose sum does not.
func TestLatticeIndicesOfManyFactorsDoNotOverflow(t *testing.T) {
	const factors = 64
	events := []mechanism.Event{mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 15000), Delta: new(big.Rat)}}
	for i := range factors {
		far := hull("0", "1e-60", "1", fmt.Sprintf("%de-63", 100+i), "2048", "0")
		events = append(events, mechanism.SelfComposed{Event: far, Count: (mechanism.MaxCount - 1) / factors})
	}
	d, ok, err := New(context.Background(), resolve(t, mechanism.Composed{Events: events}), 61, Limits{Points: 1 << 18, Words: 1 << 18, Terms: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return // refusing is sound
	}
	y, err := d.Delta(context.Background(), 64, interval.RealRat(big.NewRat(-1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if y.LessRat(rat("0.63")) == interval.True || y.LessEqRat(rat("0.64")) == interval.False {
		t.Errorf("δ(−1) = %s, want 1 − 1/e or a little more", y)
	}
}

// TestLatticeIndicesDoNotOverflow: k copies of a pair whose only mass that is not
// negligible lies n points below its largest loss, and a much finer lattice: the
// index n·k times the refinement exceeds 64 bits. (ε, 0)-DP on the fine lattice
// gives δ(0) = (e^ε − 1)/(e^ε + 1) < ε; all else adds less than 10^−40.
func TestLatticeIndicesDoNotOverflow(t *testing.T) {
	far := hull("0", "1e-60", "1", "1e-61", "2048", "0")
	fine := mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 1<<17), Delta: new(big.Rat)}
	for _, k := range []int64{1000, mechanism.MaxCount - 1, 7 << 37} { // 7·2^37·2^10·2^17 is 0 modulo 2^64
		prod := resolve(t, mechanism.Composed{Events: []mechanism.Event{mechanism.SelfComposed{Event: far, Count: k}, fine}})
		d, ok, err := New(context.Background(), prod, 61, Limits{Points: 1 << 18, Words: 1 << 18, Terms: 1 << 12})
		if err != nil || !ok {
			t.Logf("%d copies: refused (%v)", k, err) // refusing is sound
			continue
		}
		y, err := d.Delta(context.Background(), 64, interval.RealRat(new(big.Rat)))
		if err != nil {
			t.Fatal(err)
		}
		if y.LessRat(big.NewRat(1, 1<<17)) == interval.False {
			t.Errorf("%d copies: δ(0) = %s, want less than 2^−17", k, y)
		}
	}
}

// TestGridOfHugeLosses: outcomes far beyond the grid, and outcomes whose loss is
// known by an unbounded enclosure only. The exact value of H is the H of one pair
// beside a pair of equal distributions.
func TestGridOfHugeLosses(t *testing.T) {
	laplace := mechanism.Laplace{NoiseMultiplier: big.NewRat(1, 1)}
	for _, c := range []struct {
		name   string
		e      mechanism.Event
		lo, hi string // of δ(0) without the Laplace factor
	}{
		{"a point of little mass at 10^5000", hull("0", "1e-9000", "1e5000", "0"), "0", "1e-8999"},
		{"a point of little mass at 10^30", hull("0", "1e-5", "1e30", "0"), "0", "1e-5"},
		{"ratios beyond the range", mechanism.PoissonSampled{SamplingProbability: rat("1/10"), Event: mechanism.EpsilonDelta{Epsilon: rat("1e9"), Delta: new(big.Rat)}}, "0.099", "0.1"},
	} {
		for _, extra := range []bool{false, true} {
			events := []mechanism.Event{c.e, c.e}
			lo, hi := rat(c.lo), rat(c.hi)
			hi.Add(hi, hi) // two copies have at most twice the δ(0)
			if extra {
				events = append(events, laplace)
				lo, hi = rat("0.39"), hi.Add(hi, rat("0.3935")) // 1 − e^(−1/2), and sub-additivity of δ(0)
			}
			prod := resolve(t, mechanism.Composed{Events: events})
			for _, o := range []pair.Product{prod, prod.Reverse()} {
				g, ok, err := NewGrid(context.Background(), o, Settings{Points: 256, Prec: 61, Cut: 61, Limit: 1 << 14})
				if err != nil || !ok {
					t.Logf("%s: refused (%v)", c.name, err)
					continue
				}
				y, err := g.Delta(context.Background(), 64, interval.RealRat(new(big.Rat)))
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					continue
				}
				if y.LessRat(lo) == interval.True || y.LessEqRat(hi) == interval.False {
					t.Errorf("%s, Laplace %v: δ(0) in [%v, %v], want to meet [%s, %s]", c.name, extra, y.Lo(), y.Hi(), lo.FloatString(8), hi.FloatString(8))
				}
			}
		}
	}
}

// TestGridOfOneLoss: a single finite loss, known to many bits, spans next to nothing; the
// spacing is not to be so fine that its index leaves int64, with as many points as it may have. P reveals the input
// with probability 2/3 and has the loss −log 3 otherwise, so that δ(0) = 2/3 and δ(−2) = 1 − e^−2.
func TestGridOfOneLoss(t *testing.T) {
	f := pair.NewFinite([]*big.Rat{rat("2/3"), rat("1/3")}, []*big.Rat{rat("0"), rat("1")})
	for _, count := range []int64{1, 2} {
		g, ok, err := NewGrid(context.Background(), pair.Product{{Pair: f, Count: count}}, Settings{Points: 1 << 16, Prec: 61, Cut: 57, Limit: 1 << 20})
		if !ok {
			t.Fatalf("%d copies: refused, %v", count, err)
		}
		want := rat("2/3")
		if count == 2 {
			want = rat("8/9")
		}
		y, err := g.Delta(context.Background(), 64, interval.RealRat(new(big.Rat)))
		near := rat("1/1000")
		if err != nil || !y.ContainsRat(want) || y.LessRat(near.Add(near, want)) != interval.True {
			t.Errorf("%d copies: δ(0) in %s, %v, want %s", count, y, err, want.RatString())
		}
	}
}

// TestGridIndicesFit: indices that a composition would carry out of int64 are refused.
func TestGridIndicesFit(t *testing.T) {
	for _, c := range []struct {
		count   int64
		levels  int
		factors int
		x       string
		ok      bool
	}{
		{1, 0, 1, "1e17", true}, {1, 0, 1, "1e18", false}, {1, 0, 1, "1e19", false}, {1, 0, 1, "-1e40", false},
		{1 << 20, 10, 1, "1e14", true}, {1 << 20, 10, 1, "1e17", false}, {1 << 20, 0, 1, "1e13", false},
		{1, 0, 64, "2e15", true}, {1, 0, 64, "1e17", false}, // 64 of the latter exceed 2^58
	} {
		f := factor{count: c.count, mesh: mesh{delta: rat("1")}, levels: c.levels}
		n, ok := f.floorIndex(rat(c.x), c.factors)
		if ok != c.ok || ok && rat(c.x).Cmp(new(big.Rat).SetInt64(n)) != 0 {
			t.Errorf("%d copies, %d levels: index %d, %v of %s", c.count, c.levels, n, ok, c.x)
		}
	}
}

// TestLatticeOfOppositeHugeIndices: losses of either sign whose indices fit int64, but not
// their difference.
func TestLatticeOfOppositeHugeIndices(t *testing.T) {
	os := []pair.Outcome{}
	for _, l := range []string{"0", "0.9", "-0.9", "1e-19"} {
		os = append(os, pair.Outcome{P: interval.Prec(64).Rat(rat("1/4")), Q: interval.Prec(64).Rat(rat("1/4")), Loss: pair.RatLoss(rat(l)), Exact: true})
	}
	if _, ok := newLattice(os, 61, 1<<18); ok {
		t.Error("a lattice of 18·10^18 points")
	}
}
