// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"testing"

	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// TestMaximalShifts: against all vectors of integers, one by one: every vector is below a
// listed one, and no listed one is below another.
func TestMaximalShifts(t *testing.T) {
	for norm2 := int64(1); norm2 <= 20; norm2++ {
		for dimension := int64(0); dimension <= 6; dimension++ {
			got, ok := maximalShifts(big.NewInt(norm2), dimension, 1000)
			if !ok {
				t.Fatalf("|s|² ≤ %d, %d dimensions: more than 1000", norm2, dimension)
			}
			covered := func(s shift) bool {
				for _, x := range got {
					if s.below(x) {
						return true
					}
				}
				return false
			}
			most := dimension
			if most == 0 {
				most = norm2
			}
			var all func(s shift, left int64)
			all = func(s shift, left int64) {
				if !covered(s) {
					t.Errorf("|s|² ≤ %d, %d dimensions: %v is below none of %v", norm2, dimension, s, got)
				}
				if int64(len(s)) == most {
					return
				}
				for x := int64(1); x*x <= left && (len(s) == 0 || x <= s[len(s)-1]); x++ {
					all(append(s[:len(s):len(s)], x), left-x*x)
				}
			}
			all(nil, norm2)
			for i, s := range got {
				n := int64(0)
				for j, x := range s {
					n += x * x
					if x < 1 || j > 0 && x > s[j-1] {
						t.Errorf("%v is not falling and positive", s)
					}
				}
				if n > norm2 || int64(len(s)) > most {
					t.Errorf("|s|² ≤ %d, %d dimensions: %v", norm2, dimension, s)
				}
				for j, x := range got {
					if i != j && s.below(x) {
						t.Errorf("|s|² ≤ %d, %d dimensions: %v is below %v", norm2, dimension, s, x)
					}
				}
			}
		}
	}
}

// TestMaximalShiftsCount: with any number of entries they are the partitions of norm2 into
// squares, of which there are 1, 1, 1, 2, 2, 2, 2, 3, 4, … [OEIS A001156].
func TestMaximalShiftsCount(t *testing.T) {
	for norm2, want := range map[int64]int{1: 1, 3: 1, 4: 2, 8: 3, 9: 4, 16: 8, 24: 16, 25: 19, 27: 21} {
		got, ok := maximalShifts(big.NewInt(norm2), 0, maxShifts)
		if ok != (want <= maxShifts) || ok && len(got) != want {
			t.Errorf("|s|² ≤ %d: %v, %d, want %d", norm2, ok, len(got), want)
		}
	}
	huge, _ := new(big.Int).SetString("1000000000000000000000000", 10)
	for _, c := range []struct {
		norm2     *big.Int
		dimension int64
		ok        bool
	}{{huge, 1, true}, {huge, 2, false}, {huge, 0, false}, {big.NewInt(1e12), 0, false}, {big.NewInt(1e12), 1e12, false}, {big.NewInt(1e12 + 1), 1, true}} {
		if _, ok := maximalShifts(c.norm2, c.dimension, maxShifts); ok != c.ok {
			t.Errorf("|s|² ≤ %s, %d dimensions: %v", c.norm2, c.dimension, ok)
		}
	}
}

// TestSomeShiftsRespectTheBound: the shifts listed instead of too many.
func TestSomeShiftsRespectTheBound(t *testing.T) {
	huge, _ := new(big.Int).SetString("1000000000000000000000000", 10)
	for _, norm2 := range []*big.Int{big.NewInt(10000), big.NewInt(1e9 + 7), huge} {
		for _, dimension := range []int64{0, 3, 1e6, 1e12} {
			of, all := vectorShifts(ratOne, norm2, dimension)
			if all || len(of) == 0 {
				t.Fatalf("|s|² ≤ %s, %d dimensions: %v, all: %v", norm2, dimension, of, all)
			}
			for _, p := range of {
				d := p[0].Pair.(pair.DiscreteGaussian)
				n := new(big.Int).Mul(big.NewInt(d.Sensitivity), big.NewInt(d.Sensitivity))
				n.Mul(n, big.NewInt(p[0].Count))
				if len(p) != 1 || n.Cmp(norm2) > 0 || dimension > 0 && p[0].Count > dimension {
					t.Errorf("|s|² ≤ %s, %d dimensions: %s", norm2, dimension, p)
				}
			}
		}
	}
}

// TestSelectionsAreSampledInTheOpen: where a record is replaced, nothing bounds the choice of a
// sample without it; where it is added, the sample without it is its neighbour.
func TestSelectionsAreSampledInTheOpen(t *testing.T) {
	for _, e := range []mechanism.Event{mechanism.ExponentialMechanism{Epsilon: ratOne}, mechanism.PermuteAndFlip{Epsilon: ratOne},
		mechanism.Composed{Events: []mechanism.Event{mechanism.Gaussian{NoiseMultiplier: ratOne}, mechanism.PermuteAndFlip{Epsilon: ratOne}}}} {
		for rel, open := range map[mechanism.Relation]bool{mechanism.AddOrRemoveOne: false, mechanism.ReplaceSpecial: true} {
			prob, err := Resolve(mechanism.PoissonSampled{SamplingProbability: rat("1/3"), Event: e}, rel)
			if err != nil {
				t.Fatal(err)
			}
			if m, mixed := prob.Dominating()[0].Pair.(pair.Mean); mixed != open || mixed && !m.Nothing() {
				t.Errorf("%s under %s is %s", mechanism.EncodeEvent(e), rel, prob.Dominating())
			}
		}
	}
}

// TestVectorsAlone: one vector with many shifts is all of them, and composed or sampled it is bounded as before; where
// there are too many, it is as well.
func TestVectorsAlone(t *testing.T) {
	vector := func(sigma, sensitivity string, dimension int64) mechanism.Event {
		return mechanism.DiscreteGaussian{Sigma: rat(sigma), Sensitivity: rat(sensitivity), Dimension: dimension}
	}
	for _, c := range []struct {
		e mechanism.Event
		n int // products that are attained
	}{
		{vector("3", "6", 0), 43}, {vector("3", "6", 36), 43}, {vector("6", "6", 0), 43}, {vector("3", "6.05", 0), 43},
		{vector("3", "4", 0), 8}, {vector("40", "6", 0), 43}, {vector("3", "9", 0), 0}, {vector("3", "6", 35), 0},
		{mechanism.SelfComposed{Event: vector("3", "6", 0), Count: 2}, 0},
		{mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: vector("3", "6", 0)}, 0},
		{mechanism.Composed{Events: []mechanism.Event{vector("3", "6", 0), vector("4", "6", 0)}}, 0},
		// Not every batch has the record, and outputs do not say which one has.
		{mechanism.ShuffledBatches{Event: vector("3", "6", 0), Batches: 3}, 0},
		{mechanism.Maximum{Events: []mechanism.Event{vector("3", "6", 0), mechanism.NoOp{}}}, 43},
	} {
		relation := mechanism.AddOrRemoveOne
		if _, ok := c.e.(mechanism.ShuffledBatches); ok {
			relation = mechanism.ReplaceSpecial
		}
		_, b, err := ResolveProfile(c.e, relation, mechanism.Both)
		if err != nil || b.Attained != (c.n > 0) || b.Attained && len(b.Upper) != c.n {
			t.Errorf("%s: %d products, attained: %v, want %d; %v", mechanism.EncodeEvent(c.e), len(b.Upper), b.Attained, c.n, err)
		}
		for _, p := range b.Upper {
			if norm := rat("0"); b.Attained {
				for _, f := range p {
					s := f.Pair.(pair.DiscreteGaussian).Sensitivity
					norm.Add(norm, big.NewRat(s*s*f.Count, 1))
				}
				if want := rat(map[bool]string{true: "36", false: "16"}[c.n == 43]); norm.Cmp(want) != 0 {
					t.Errorf("%s: a shift with |s|² = %s", mechanism.EncodeEvent(c.e), norm.RatString())
				}
			}
		}
	}
}
