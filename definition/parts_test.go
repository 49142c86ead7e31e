// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/definition/masses"
	"dpverify/definition/promise"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

var rat = testkit.Rat

// TestNeighboursAreOneStepApart: and data sets that differ by a step are listed.
func TestNeighboursAreOneStepApart(t *testing.T) {
	for _, r := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceOne, mechanism.ReplaceSpecial} {
		listed := map[Neighbours]bool{}
		for _, x := range neighbourings(r, 3, false) {
			listed[x] = true
			if distance(r, x.with, x.without) != 1 || distance(r, x.without, x.with) != 1 {
				t.Errorf("%s: %q and %q are %d steps apart", r, x.with, x.without, distance(r, x.with, x.without))
			}
		}
		// All data sets of up to 3 records, each with the values that there are.
		for n := 1; n <= 3; n++ {
			for set := range 1 << n {
				for i := range n {
					if r == mechanism.AddOrRemoveOne && set > 0 || set>>i&1 == 1 {
						continue
					}
					with, without := []byte{}, []byte{}
					for j := range n {
						x := record(j, 0)
						if set>>j&1 == 1 {
							x = map[mechanism.Relation]byte{mechanism.ReplaceOne: record(j, 1), mechanism.ReplaceSpecial: null}[r]
						}
						with = append(with, x)
						switch {
						case i != j:
							without = append(without, x)
						case r == mechanism.ReplaceOne:
							without = append(without, record(j, 1))
						case r == mechanism.ReplaceSpecial:
							without = append(without, null)
						}
					}
					if x := (Neighbours{dataOf(with), dataOf(without)}); !listed[x] {
						t.Errorf("%s: %q and %q are not listed", r, x.with, x.without)
					}
				}
			}
		}
	}
}

// TestBoundedFunctionsAreBounded: whatever is chosen, in whatever order values are asked for.
func TestBoundedFunctionsAreBounded(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range testkit.Cases(100, 2000) {
		r := mechanism.Relation(rng.Intn(3))
		f := &bounded{reading: reading{relation: r, stride: 1}, site: site{RandomChoices(rng), 1}, step: rng.Intn(3)}
		pairs := neighbourings(r, 3, false)
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, x := range pairs {
			if d := f.of(x.with) - f.of(x.without); max(d, -d) > f.step {
				t.Fatalf("%s: f(%q) = %d, f(%q) = %d, want a difference of at most %d", r, x.with, f.of(x.with), x.without, f.of(x.without), f.step)
			}
		}
	}
}

// TestRunsHaveTheirMean: the generating functions of numbers of runs have the mass 1, and the mean that is asked for.
func TestRunsHaveTheirMean(t *testing.T) {
	c := reading{Tables: NewTables(t.Context())}
	for _, shape := range []*big.Rat{nil, rat("0"), rat("1"), rat("-1/2"), rat("2")} {
		for _, mean := range []string{"1", "2", "7/2"} {
			g := c.runs(mechanism.RepeatAndSelect{Mean: rat(mean), Shape: shape})
			at := func(x string) float64 {
				f, _ := g(masses.Working.Rat(rat(x))).Lo().Float64()
				return f
			}
			want, _ := rat(mean).Float64()
			const h = "1/1048576"
			if got := (at("1") - at("1048575/1048576")) * (1 << 20); math.Abs(at("1")-1) > 1e-12 || math.Abs(got-want) > 1e-4*want {
				t.Errorf("shape %v, mean %s: f(1) = %v, f′(1) is about %v, by %s", shape, mean, at("1"), got, h)
			}
		}
	}
}

// TestPermutationsAreAll: each of them once.
func TestPermutationsAreAll(t *testing.T) {
	all := permutations(4)
	slices.SortFunc(all, func(a, b []int) int { return slices.Compare(a, b) })
	if all = slices.CompactFunc(all, slices.Equal); len(all) != 24 {
		t.Errorf("%d permutations of 4", len(all))
	}
}

// TestPromisesAreKeptAndTight: the rows of neighbouring classes keep what is promised, and among some rows are such
// that hardly less would be.
func TestPromisesAreKeptAndTight(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	near := func(got interval.Interval, limit string) bool { // from below
		f, _ := got.Lo().Float64()
		v, _ := rat(limit).Float64()
		return f >= 0.97*v
	}
	for name, x := range map[string]struct {
		promise.Promise
		within func(masses.Pair) (kept, tight bool)
	}{
		"δ(1) ≤ 1/10": {promise.NewProfile([]mechanism.ProfilePoint{{Epsilon: rat("1"), Delta: rat("1/10")}}), func(p masses.Pair) (kept, tight bool) {
			d := p.DeltaAtLeast(rat("1"))
			return d.Cmp(rat("1/10")) <= 0, d.Cmp(rat("999/10000")) > 0
		}},
		"δ(−1000000) ≤ 1, δ(−100) ≤ 1, δ(1) ≤ 1/10, δ(1000000) ≤ 1/20": {promise.NewProfile([]mechanism.ProfilePoint{
			{Epsilon: rat("-1000000"), Delta: rat("1")}, {Epsilon: rat("-100"), Delta: rat("1")},
			{Epsilon: rat("1"), Delta: rat("1/10")}, {Epsilon: rat("1000000"), Delta: rat("1/20")},
		}), func(p masses.Pair) (kept, tight bool) {
			d, e := p.DeltaAtLeast(rat("1")), p.DeltaAtLeast(rat("1000000"))
			return d.Cmp(rat("1/10")) <= 0 && e.Cmp(rat("1/20")) <= 0, true
		}},
		"f(1/4) ≥ 1/4": {promise.NewTradeOff([]mechanism.TradeOffPoint{{Alpha: rat("1/4"), Beta: rat("1/4")}}), func(p masses.Pair) (kept, tight bool) {
			f := TradeOffAtMost(p, rat("1/4"))
			return f.Cmp(rat("1/4")) >= 0, f.Cmp(rat("251/1000")) < 0
		}},
		"R_2 ≤ 1/2": {promise.Divergences{Orders: []*big.Rat{rat("2")}, Values: []*big.Rat{rat("1/2")}}, func(p masses.Pair) (kept, tight bool) {
			d := RenyiAtLeast(p, rat("2"))
			return d.LessEqRat(rat("1/2")) == interval.True, near(d, "1/2")
		}},
		"R_α ≤ α/10": {promise.Divergences{Rho: rat("1/10"), Xi: new(big.Rat)}, func(p masses.Pair) (kept, tight bool) {
			return RenyiAtLeast(p, rat("2")).LessEqRat(rat("1/5")) == interval.True && RenyiAtLeast(p, rat("7")).LessEqRat(rat("7/10")) == interval.True &&
				RenyiAtLeast(p, rat("3/2")).LessEqRat(rat("3/20")) == interval.True, true
		}},
	} {
		tightest := false
		for range testkit.Cases(20, 300) {
			c := reading{Tables: NewTables(t.Context()), stride: 1}
			m := c.guarantee(site{RandomChoices(rng), 1}, x.Promise).(*table)
			for i, a := range m.rows {
				for j, b := range m.rows {
					if i == j || !m.any && max(i-j, j-i) > 1 {
						continue
					}
					kept, tight := x.within(masses.Pair{P: a, Q: b})
					tightest = tightest || tight
					if !kept {
						t.Fatalf("%s is not kept by %v and %v", name, a, b)
					}
				}
			}
		}
		if !tightest {
			t.Errorf("%s: nothing comes near to it", name)
		}
	}
}

// TestChoicesAreTakenAgain: the same choices make the same instance, and changed ones another in few places.
func TestChoicesAreTakenAgain(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	c := RandomChoices(rng)
	first := make([]int, 100)
	for i := range first {
		first[i] = c.pick(uint64(i), 10)
	}
	differ := 0
	d := c.Changed(rng)
	for i, x := range first {
		if c.pick(uint64(i), 10) != x {
			t.Fatalf("choice %d is made anew", i)
		}
		if d.pick(uint64(i), 10) != x {
			differ++
		}
	}
	if differ > 3 {
		t.Errorf("%d changes, want at most 3", differ)
	}
}
