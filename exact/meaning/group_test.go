// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"math/big"
	"slices"
	"testing"

	"dpverify/exact/pair"
	"dpverify/exact/participation"
	"dpverify/mechanism"
)

// TestSumsOfShifts: the sums are all sums of k shifts, by going through all of them.
func TestSumsOfShifts(t *testing.T) {
	for _, test := range []struct{ norm2, dimension, k int64 }{{1, 0, 3}, {1, 2, 3}, {2, 3, 2}, {4, 2, 2}, {5, 2, 2}, {3, 0, 2}, {1, 1, 4}} {
		single, _ := maximalShifts(big.NewInt(test.norm2), test.dimension, maxShifts)
		sums, ok := sumsOfShifts(single, test.k, test.dimension)
		if !ok {
			t.Fatalf("%+v: too many", test)
		}
		d := test.dimension
		if d == 0 {
			d = test.norm2 * test.k
		}
		var all func(d, left int64) [][]int64 // vectors of d entries ≥ 0 with a squared norm of at most left
		all = func(d, left int64) [][]int64 {
			if d == 0 {
				return [][]int64{nil}
			}
			var out [][]int64
			for x := int64(0); x*x <= left; x++ {
				for _, v := range all(d-1, left-x*x) {
					out = append(out, append(slices.Clone(v), x))
				}
			}
			return out
		}
		one := all(d, test.norm2)
		reached := [][]int64{make([]int64, d)}
		for range test.k {
			seen := make(map[string]bool)
			var next [][]int64
			for _, v := range reached {
				for _, w := range one {
					sum := slices.Clone(v)
					for i := range sum {
						sum[i] += w[i]
					}
					slices.SortFunc(sum, func(a, b int64) int { return int(b - a) })
					key := pair.Product{}.String()
					for _, x := range sum {
						key += string(rune('0' + x))
					}
					if !seen[key] {
						seen[key] = true
						next = append(next, sum)
					}
				}
			}
			reached = next
		}
		for _, v := range reached {
			s := shift(slices.DeleteFunc(slices.Clone(v), func(x int64) bool { return x == 0 }))
			if !slices.ContainsFunc(sums, s.below) {
				t.Errorf("%+v: %v is below none of %v", test, s, sums)
			}
		}
		for _, s := range sums {
			if !slices.ContainsFunc(reached, func(v []int64) bool {
				return slices.Equal(slices.DeleteFunc(slices.Clone(v), func(x int64) bool { return x == 0 }), s)
			}) {
				t.Errorf("%+v: %v is no sum", test, s)
			}
		}
	}
}

// TestGroups: what a group sees under each relation, and what it does not.
func TestGroups(t *testing.T) {
	gaussian := mechanism.Gaussian{NoiseMultiplier: rat("2")}
	group := func(e mechanism.Event, k int64) mechanism.Event { return mechanism.Group{Event: e, Size: k} }
	poisson := func(e mechanism.Event) mechanism.Event {
		return mechanism.PoissonSampled{SamplingProbability: rat("1/2"), Event: e}
	}
	for _, test := range []struct {
		event mechanism.Event
		rel   mechanism.Relation
		want  string // empty: a relation error
	}{
		{group(gaussian, 3), mechanism.AddOrRemoveOne, "(Gaussian(μ²=9/4))"},
		{group(gaussian, 3), mechanism.ReplaceOne, "(Gaussian(μ²=9))"},
		{group(group(gaussian, 3), 2), mechanism.ReplaceSpecial, "(Gaussian(μ²=9))"},
		{group(mechanism.SelfComposed{Event: gaussian, Count: 4}, 3), mechanism.AddOrRemoveOne, "(Gaussian(μ²=9/4)^4)"},
		{group(poisson(gaussian), 2), mechanism.AddOrRemoveOne, "(GaussianMixture(1/4·N(0) + 1/2·N(1/2) + 1/4·N(1), 1·N(0)))"},
		{group(poisson(gaussian), 2), mechanism.ReplaceOne, ""},
		{poisson(group(gaussian, 2)), mechanism.AddOrRemoveOne, ""},
		{poisson(group(gaussian, 1)), mechanism.AddOrRemoveOne, "(Sampled(1/2, (Gaussian(μ²=1/4))))"},
		{group(poisson(mechanism.Laplace{NoiseMultiplier: rat("2")}), 2), mechanism.AddOrRemoveOne, ""},
		{group(mechanism.ZCDP{Rho: rat("1/2"), Xi: rat("1")}, 3), mechanism.AddOrRemoveOne, "(ZCDP(ρ=9/2, ξ=11/2))"},
		{group(mechanism.EpsilonDelta{Epsilon: new(big.Rat), Delta: rat("1/4")}, 3), mechanism.ReplaceOne, "(Response(ε=0, δ=3/4))"},
		{group(mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1")}, 3), mechanism.ReplaceOne, "(Response(ε=0, δ=1))"},
		{group(mechanism.EpsilonDelta{Epsilon: rat("1"), Delta: rat("1/4")}, 3), mechanism.ReplaceOne, "(GroupResponse(ε=1, δ=1/4, 3))"},
		{group(mechanism.DiscreteGaussian{Sigma: rat("1"), Sensitivity: rat("3/2"), Dimension: 1}, 3), mechanism.AddOrRemoveOne, "(DiscreteGaussian(σ²=1, 3))"},
		{group(mechanism.RandomizedResponse{NoiseParameter: rat("1/2"), NumBuckets: 2}, 3), mechanism.ReplaceOne, ""},
		{group(mechanism.RenyiCurve{Orders: rats("2"), Values: rats("1")}, 3), mechanism.ReplaceOne, ""},
	} {
		p, err := Resolve(test.event, test.rel)
		switch {
		case test.want == "" && !isRelationError(err):
			t.Errorf("%s under %s: %v, want a relation error", mechanism.EncodeEvent(test.event), test.rel, err)
		case test.want != "" && (err != nil || p.Dominating().String() != test.want):
			t.Errorf("%s under %s: %s, %v, want %s", mechanism.EncodeEvent(test.event), test.rel, p.Dominating(), err, test.want)
		}
	}
}

// TestMatrixUnderGaps: a strategy whose sensitivity is known from two sides is bounded by two Gaussians, and says so.
func TestMatrixUnderGaps(t *testing.T) {
	e := mechanism.MatrixMechanism{Strategy: mechanism.Strategy{Steps: 3, Entries: []mechanism.Entry{{Row: 0, Column: 0, Value: rat("1")}, {Row: 1, Column: 0, Value: rat("1")},
		{Row: 1, Column: 1, Value: rat("-2")}, {Row: 2, Column: 0, Value: rat("1")}, {Row: 2, Column: 1, Value: rat("1")}, {Row: 2, Column: 2, Value: rat("1")}}}, MinSeparation: 1, MaxParticipations: 3, NoiseMultiplier: rat("2")}
	p, err := Resolve(e, mechanism.ReplaceSpecial)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Profile(mechanism.Both)
	if err != nil || b.Attained || len(b.Lower) != 1 || len(p.Notes) != 1 {
		t.Errorf("%+v, %v, notes %q", b, err, p.Notes)
	}
	if words := participation.Between(rat("1/3"), rat("1/3")); words != "between 0.333333 and 0.333334" {
		t.Errorf("1/3 is shown as %s", words)
	}
}
